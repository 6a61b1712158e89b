/**
 * What scripts want of the snippets of their account: some by id, and those that they require: `./snippets/<name>.js`, or
 * `./<name>.js` from another snippet. These are found by their names in the code, so a name that is put together at run
 * time is not found.
 */
import type { ApiScript } from '../../../protocol/checks/api.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { integer } from '../../platform/store/database/ddl.ts'
import { query } from '../../platform/store/database/query.ts'

type WantedSnippets = {
  accountIds: readonly string[]
  ids: readonly { id: number }[]
  names: readonly string[]
}

/** By id or by name, the oldest first. */
const wantedSnippets = query('wanted-snippets', (k, p: WantedSnippets, engine) =>
  k
    .selectFrom('snippets')
    .select(['id', 'account_id', 'name', 'script'])
    .where('account_id', 'in', engine.textList(p.accountIds))
    .where((where) =>
      where.or([
        where('name', 'in', engine.textList(p.names)),
        where(
          'id',
          'in',
          where
            .selectFrom(engine.rowList(p.ids, { id: integer }).$castTo<{ id: number }>().as('r'))
            .select('r.id'),
        ),
      ]),
    )
    .orderBy('id'),
)

/** The code of snippets by their names. */
type Library = ReadonlyMap<string, string>

const called = /\b(?:require|import)\s*\(\s*(["'`])\.\/(?:snippets\/)?([^"'`\n]+?)(?:\.js)?\1\s*\)/g
const imported = /\b(?:from|import)\s*(["'])\.\/(?:snippets\/)?([^"'\n]+?)(?:\.js)?\1/g

/** No real code has a longer chain of snippets. */
const maxDepth = 10

export const requiredNames = (code: string): string[] => [
  ...new Set([...code.matchAll(called), ...code.matchAll(imported)].map(([, , name = '']) => name)),
]

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

/** Scripts of one account: `ids` of the snippets that run beside them, and their own `codes`. */
export type Scripted = { accountId: string; ids: readonly number[]; codes: readonly string[] }

/** `byId`: in the order of the ids, those that are gone left out; `required`: by any of the scripts. */
export type SnippetsOfScripts = { byId: ReadonlyMap<number, ApiScript>; required: readonly ApiScript[] }

/** For all of them with one query, and one more for each step of a chain of snippets that require each other. */
export const readSnippets = async <K>(
  db: Db,
  scripted: ReadonlyMap<K, Scripted>,
): Promise<Map<K, SnippetsOfScripts>> => {
  const all = [...scripted.values()]
  const accountIds = [...new Set(all.map(({ accountId }) => accountId))]
  const known = new Map<number, ApiScript>()
  const libraries = new Map<string, Map<string, string>>(accountIds.map((id) => [id, new Map()]))
  const asked = new Set<string>()
  let ids = [...new Set(all.flatMap((one) => one.ids))]
  let names = [...new Set(all.flatMap(({ codes }) => codes.flatMap(requiredNames)))]
  for (let depth = 0; ids.length + names.length > 0 && depth <= maxDepth; depth += 1) {
    for (const name of names) asked.add(name)
    const rows = await db.all(wantedSnippets, { accountIds, ids: ids.map((id) => ({ id })), names })
    for (const { id, account_id, name, script } of rows) {
      if (ids.includes(id)) known.set(id, { name: `the snippet "${name}"`, code: script })
      const library = libraries.get(account_id)
      // Of several with one name the oldest counts.
      if (names.includes(name) && library?.has(name) === false) library.set(name, script)
    }
    ids = []
    names = [...new Set(rows.flatMap(({ script }) => requiredNames(script)))].filter(
      (name) => !asked.has(name),
    )
  }
  return new Map(
    [...scripted].map(([key, one]) => [key, ofScripts(one, known, libraries.get(one.accountId))]),
  )
}

const ofScripts = (
  { ids, codes }: Scripted,
  known: ReadonlyMap<number, ApiScript>,
  library: Library | undefined,
): SnippetsOfScripts => {
  const byId = new Map(
    ids.flatMap((id) => [...(known.has(id) ? [[id, known.get(id) as ApiScript] as const] : [])]),
  )
  return { byId, required: requiredBy([...[...byId.values()].map(({ code }) => code), ...codes], library) }
}
