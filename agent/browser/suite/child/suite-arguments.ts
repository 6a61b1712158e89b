/** What `playwright test` is told: what the command says, and what the check says. */
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { SuiteSettings } from '../task.ts'

type SuiteArguments = { argv: string[]; reporters: string[] | null }

const configNames = ['ts', 'js', 'mts', 'mjs', 'cts', 'cjs'].map((ending) => `playwright.config.${ending}`)
const ownName = 'watchpost.playwright.config'

/** The values of an option, and the arguments without it. */
const without = (args: readonly string[], names: readonly string[]): { rest: string[]; values: string[] } => {
  const rest: string[] = []
  const values: string[] = []
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] as string
    const long = names.find((name) => name.startsWith('--') && arg.startsWith(`${name}=`))
    if (long !== undefined) values.push(arg.slice(long.length + 1))
    else if (names.includes(arg)) {
      at += 1
      values.push(args[at] ?? '')
    } else rest.push(arg)
  }
  return { rest, values }
}

/** `argv` with a configuration that takes in the suite's own (suite-config.ts). */
export const suiteArguments = (
  argv: readonly string[],
  { configPath, projects, tags }: Pick<SuiteSettings, 'configPath' | 'projects' | 'tags'>,
): SuiteArguments => {
  const [node = '', program = '', command = '', ...args] = argv
  const config = without(args, ['-c', '--config'])
  const output = without(config.rest, ['--output'])
  const reporter = without(output.rest, ['--reporter'])
  const grep =
    tags.length === 0 ? { rest: reporter.rest, values: [] } : without(reporter.rest, ['-g', '--grep'])
  const named = grep.rest.some((arg) => arg === '--project' || arg.startsWith('--project='))
  const own = [
    `--config=${writeConfig(config.values.at(-1) ?? configPath)}`,
    ...(named ? [] : projects.map((project) => `--project=${project}`)),
    ...(tags.length === 0 ? [] : [`--grep=${grepOf(tags, grep.values)}`]),
  ]
  return {
    argv: [node, program, command, ...own, ...grep.rest],
    reporters: reporter.values.length === 0 ? null : reporter.values.flatMap((value) => value.split(',')),
  }
}

/** A test has to have one of the tags, and what the command asks for. */
const grepOf = (tags: readonly string[], wanted: readonly string[]): string => {
  const escaped = tags.map((tag) => `@${tag.replace(/^@/, '')}`.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
  const own = `(?:${escaped.join('|')})(?![\\w-])`
  return wanted.length === 0 ? own : [own, ...wanted].map((one) => `(?=[\\s\\S]*(?:${one}))`).join('')
}

/** Beside the suite's own, whose paths it keeps, and of its kind. */
const writeConfig = (given: string | null): string => {
  const found = configFile(given === null ? process.cwd() : resolve(given))
  const ending = found === null ? '.cjs' : extname(found)
  const isCommon = ending === '.cjs' || ending === '.cts'
  const path = join(found === null ? process.cwd() : dirname(found), `${ownName}${ending}`)
  const own = found === null ? '{}' : 'own'
  const source = found === null ? null : JSON.stringify(`./${basename(found)}`)
  const lines = isCommon
    ? [
        source === null ? '' : `const own = require(${source})`,
        `module.exports = globalThis.watchpostConfig(${own})`,
      ]
    : [`import own from ${source}`, 'export default globalThis.watchpostConfig(own)']
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

const configFile = (path: string): string | null => {
  if (!existsSync(path) || !statSync(path).isDirectory()) return path
  const name = configNames.find((one) => existsSync(join(path, one)))
  return name === undefined ? null : join(path, name)
}

const { process } = globalThis
