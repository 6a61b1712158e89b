/**
 * The snippets that scripts require: `./snippets/<name>.js`, or `./<name>.js` from another snippet. They
 * are found by their names in the code, so a name that is put together at run time is not found.
 */
import type { ApiScript } from '../../../protocol/checks/api.ts'
import { snippetsByName } from '../../access/snippets/queries.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { CheckDoc, CheckFile } from '../definitions/checks/check-doc.ts'

/** The code of snippets by their names. */
export type Library = ReadonlyMap<string, string>

const called = /\b(?:require|import)\s*\(\s*(["'`])\.\/(?:snippets\/)?([^"'`\n]+?)(?:\.js)?\1\s*\)/g
const imported = /\b(?:from|import)\s*(["'])\.\/(?:snippets\/)?([^"'\n]+?)(?:\.js)?\1/g

/** The script of a check that is one, with its files. */
export const ownCodes = ({ script }: CheckDoc, files: readonly CheckFile[]): string[] => [
  ...(typeof script === 'string' ? [script] : []),
  ...files.map(({ content }) => content),
]

/** More than this in one chain is nobody's code. */
const maxDepth = 10

export const requiredNames = (code: string): string[] => [
  ...new Set([...code.matchAll(called), ...code.matchAll(imported)].map(([, , name = '']) => name)),
]

/** The snippets that the codes require, and those that these require, by account. */
export const readLibrary = async (
  db: Db,
  accountIds: readonly string[],
  codes: readonly string[],
): Promise<Map<string, Library>> => {
  const libraries = new Map<string, Map<string, string>>(accountIds.map((id) => [id, new Map()]))
  const asked = new Set<string>()
  let names = codes.flatMap(requiredNames)
  for (let depth = 0; names.length > 0 && depth < maxDepth; depth += 1) {
    for (const name of names) asked.add(name)
    const rows = await snippetsByName(db, accountIds, [...new Set(names)])
    for (const { account_id, name, script } of rows) {
      const library = libraries.get(account_id)
      if (library?.has(name) === false) library.set(name, script)
    }
    names = rows.flatMap(({ script }) => requiredNames(script)).filter((name) => !asked.has(name))
  }
  return libraries
}

/** Those of a library that the scripts need, each once. */
export const requiredBy = (codes: readonly string[], library: Library = new Map()): ApiScript[] => {
  const found = new Map<string, ApiScript>()
  const pending = codes.flatMap(requiredNames)
  for (const name of pending) {
    const code = library.get(name)
    if (code === undefined || found.has(name)) continue
    found.set(name, { name, code })
    pending.push(...requiredNames(code))
  }
  return [...found.values()]
}
