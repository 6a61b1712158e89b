import type { Layout } from './layout.ts'
import type { Style } from './task.ts'

const runner = '(?:@playwright|playwright)/test'
const imports = /\bimport\s+(?!type\b)([^'"`;]+?)\s*from\s*["']([^"'\n]+)["']/g
const requires =
  /\b(?:const|let|var)\s+([\w$]+|\{[^}]*\})\s*=\s*(?:require|await\s+import)\s*\(\s*["']([^"'\n]+)["']\s*\)/g
const isRunner = new RegExp(`^${runner}$`)
const importsRunner = new RegExp(`["']${runner}["']`)
const makesTests = /\.extend\b|\bmergeTests\b|\bexport\s*(?:\*|\{[^}]*\btest\b)|\bexports\.test\b/
/** Only those that begin a line: elsewhere they may be parts of addresses and patterns. */
const comments = /^[ \t]*(?:\/\/.*|\/\*[\s\S]*?\*\/)/gm

/**
 * Which kind of process a script gets. A file of tests takes `test` from Playwright's runner, or from a file beside it, and calls it. What
 * is not recognised here is run as a program; if that comes to declare a test, it is run again as a file of tests
 * (`child/run-library.ts`). So this may take a file of tests for a program, and never a program for a file of tests.
 */
export const styleOf = ({ entry, files }: Layout): Style => {
  const code = (files.get(entry) ?? '').replace(comments, '')
  const others = [...files].filter(([path]) => path !== entry).map(([, one]) => one)
  const sharesTests = others.some((one) => importsRunner.test(one) && makesTests.test(one))
  const namesIn = (found: Iterable<RegExpExecArray>, isRequired: boolean): string[] =>
    [...found].flatMap(([, clause = '', from = '']) => {
      if (isRunner.test(from)) return [...wholeNames(clause, isRequired), ...namedTest(clause)]
      return sharesTests && from.startsWith('.') ? namedTest(clause) : []
    })
  const names = [...namesIn(code.matchAll(imports), false), ...namesIn(code.matchAll(requires), true)]
  const derived = names.flatMap((name) => derivedFrom(name, code))
  return [...names, ...derived].some((name) => calls(name, code)) ? 'test' : 'library'
}

/** Of `{ test as check, expect }` or `{ test: check }`: "check". */
const namedTest = (clause: string): string[] => {
  const found = /\{[^}]*\btest\b(?:\s*(?:as|:)\s*([\w$]+))?/.exec(clause)
  return found === null ? [] : [found[1] ?? 'test']
}

/** What has `test` as a member, or is it: the module's default is. */
const wholeNames = (clause: string, isRequired: boolean): string[] => {
  const name = /^(?:\*\s*as\s+)?([\w$]+)/.exec(clause)?.[1]
  if (name === undefined) return []
  return isRequired || clause.startsWith('*') ? [`${name}.test`] : [name]
}

const escaped = (name: string): string => name.replace(/[$.]/g, '\\$&')

/** `const check = test.extend(…)`, `const { describe } = test`, `const it = test`. */
const derivedFrom = (name: string, code: string): string[] => {
  const pattern = `([\\w$]+)[ }]*=\\s*(?:${escaped(name)}\\b(?!\\s*\\()|mergeTests\\b)`
  return [...code.matchAll(new RegExp(pattern, 'g'))].map(([, own = '']) => own)
}

const members =
  'only|skip|fixme|fail|slow|describe|parallel|serial|configure|use|setTimeout|before\\w+|after\\w+'

const calls = (name: string, code: string): boolean =>
  new RegExp(
    `(?:^|[;{}()]|=>)\\s*(?:await\\s+)?${escaped(name)}(?:\\s*\\.\\s*(?:${members}))*\\s*(?:<[^>]*>)?\\(`,
    'm',
  ).test(code)
