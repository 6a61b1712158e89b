/**
 * The files that a call goes through, read off the sources: from a function through the functions and queries that it
 * names, in the order in which they are written, as somebody reads them. Each is gone into once; named again, it is
 * entered again. What is kept under a name of the language (a member, a parameter) is not followed.
 */
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** `code`: null for what a library makes of what it is given, such as a query. */
type Named = { path: string; name: string; code: string | null }

type File = { own: Map<string, string | null>; imports: Map<string, { path: string; name: string }> }

const importing = /^import \{([^}]*)\} from '(\.[^']+)'/gm
const declaring = /^(?:export )?(?:const|(?:async )?function\*?) (?:(\w+)|\{([^}]*)\})/gm
const isFunction = /^(?:export )?(?:(?:async )?function|const \w+ *= *(?:async *)?(?:\(|\w+ *=>))/
const isMade = /^(?:export )?const (?:\w+|\{[^}]*\}) *= *(?:query|perApp|documentQueries)\(/

const namesIn = (list: string): { name: string; as: string }[] =>
  list
    .split(',')
    .map((part) => part.trim().split(/(?: as |: *)/))
    .filter(([name]) => name)
    .map(([name = '', as = name]) => ({ name, as }))

const readFile = (path: string): File => {
  const text = stripTypeScriptTypes(readFileSync(join(root, path), 'utf8'))
  const imports: File['imports'] = new Map()
  for (const [, list = '', target = ''] of text.matchAll(importing))
    for (const { name, as } of namesIn(list)) imports.set(as, { path: join(dirname(path), target), name })
  const own: File['own'] = new Map()
  const declarations = [...text.matchAll(declaring)]
  for (const [position, { 1: name, 2: list, index }] of declarations.entries()) {
    const code = text
      .slice(index, declarations[position + 1]?.index)
      .replaceAll(/\/\*[\s\S]*?\*\/|\/\/ .*/g, '')
    if (name !== undefined && isFunction.test(code)) own.set(name, code)
    else if (isMade.test(code)) for (const { as } of namesIn(name ?? list ?? '')) own.set(as, null)
  }
  return { own, imports }
}

export type Walk = { files: string[]; entered: string[] }

/** `within`: the files that count. `entered`: those files in the order in which they are entered, again after leaving them. */
export const walkCalls = (from: { path: string; name: string }, within: RegExp): Walk => {
  const files = new Map<string, File>()
  const fileAt = (path: string): File => {
    const file = files.get(path) ?? readFile(path)
    files.set(path, file)
    return file
  }
  const find = (path: string, name: string): Named | null => {
    const { own, imports } = fileAt(path)
    const code = own.get(name)
    if (code !== undefined) return { path, name, code }
    const imported = imports.get(name)
    return imported === undefined || !within.test(imported.path) ? null : find(imported.path, imported.name)
  }
  const walked = new Set<string>()
  const entered: string[] = []
  const enter = ({ path, name, code }: Named): void => {
    if (entered.at(-1) !== path) entered.push(path)
    const key = `${path} ${name}`
    if (code === null || walked.has(key)) return
    walked.add(key)
    for (const [, called = ''] of code
      .slice(code.indexOf('='))
      .matchAll(/(?<![\w'"-]|(?<!\.\.)\.)(\w+)(?![\w'"]|: )/g)) {
      const next = called === name ? null : find(path, called)
      if (next !== null) enter(next)
    }
  }
  const start = find(from.path, from.name)
  if (start === null) throw new Error(`${from.path} has no function ${from.name}`)
  enter(start)
  return { files: [...new Set(entered)], entered }
}

if (import.meta.main) {
  const [path = '', name = ''] = process.argv.slice(2)
  const { files, entered } = walkCalls({ path, name }, /^control-plane\//)
  process.stdout.write(
    `${entered.join('\n')}\n${entered.length} stays, ${entered.length - files.length} returns\n`,
  )
}
