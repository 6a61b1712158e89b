/** What depends on what, as it is now: whether it is down, and what is kept back because of it. */
import { subjectText } from '../../../alerting/alert-channels/subscriptions.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { namesOf } from '../../definitions/dependencies/names-of.ts'
import { dependenciesOf } from '../../definitions/dependencies/queries.ts'
import { apart } from '../../definitions/dependencies/schema.ts'
import { dependedOn, dependentsOfOne, firstDependentsOf, keptBackNow } from './map-queries.ts'
import type { Dependent, OnMap, Thing } from './map-schema.ts'
import { knownDependencies } from './neighbours.ts'

/** Of each that others depend on; the rest has a list of its own. */
const firstShown = 20
/** More are not kept back of an account that can be read. */
const mostKeptBack = 10_000

type Page = { after: string; limit: number }

export const readMap = async (
  db: Db,
  accountId: string,
  page: Page,
): Promise<{ entries: OnMap[]; last: string | null }> => {
  const found = await dependedOn(db, accountId, { ...page, limit: page.limit + 1 })
  const parents = found.slice(0, page.limit)
  const on = parents.map(({ depends_on }) => depends_on)
  if (on.length === 0) return { entries: [], last: null }
  const shown = await firstDependentsOf(db, { accountId, on, limit: firstShown })
  const above = await db.all(dependenciesOf, { texts: on })
  const texts = [
    ...on,
    ...shown.map(({ dependent }) => dependent),
    ...above.map(({ depends_on }) => depends_on),
  ]
  const names = await namesOf(db, accountId, [...new Set(texts)])
  const down = await downAmong(db, accountId, [...on, ...shown.map(({ dependent }) => dependent)])
  const kept = await readKept(db, accountId)
  const entries = parents.map(
    ({ depends_on: text, total }): OnMap => ({
      ...thingOf(text, names),
      isDown: down.has(text),
      dependsOn: above
        .filter(({ dependent }) => dependent === text)
        .map(({ depends_on }) => thingOf(depends_on, names)),
      dependentsCount: Number(total),
      keptBackCount: kept.countOf(text),
      dependents: shown
        .filter(({ depends_on }) => depends_on === text)
        .map(({ dependent }) => ({
          ...thingOf(dependent, names),
          isDown: down.has(dependent),
          keptBackCount: kept.countOf(text, dependent),
        })),
    }),
  )
  return { entries, last: found.length > page.limit ? (on.at(-1) ?? null) : null }
}

export const readDependents = async (
  db: Db,
  { accountId, on, after, limit }: Page & { accountId: string; on: string },
): Promise<{ entries: Dependent[]; last: string | null }> => {
  const found = await dependentsOfOne(db, { accountId, on, after, limit: limit + 1 })
  const texts = found.slice(0, limit).map(({ dependent }) => dependent)
  const names = await namesOf(db, accountId, texts)
  const kept = await readKept(db, accountId)
  const down = await downAmong(db, accountId, texts)
  const entries = texts.map((text) => ({
    ...thingOf(text, names),
    isDown: down.has(text),
    keptBackCount: kept.countOf(on, text),
  }))
  return { entries, last: found.length > limit ? (texts.at(-1) ?? null) : null }
}

const downAmong = async (db: Db, accountId: string, texts: readonly string[]): Promise<Set<string>> => {
  const { dependencies } = await knownDependencies(db, accountId, texts, {
    turned: new Map(),
    isPending: () => false,
    now: 0,
  })
  return new Set(dependencies.filter(({ isDown }) => isDown).map(({ on }) => on))
}

const thingOf = (text: string, names: ReadonlyMap<string, string>): Thing => {
  const { checkIds, groupIds } = apart([text])
  return { checkId: checkIds[0] ?? null, groupId: groupIds[0] ?? null, name: names.get(text) ?? text }
}

type Kept = {
  /** Checks kept back because of it; of one dependent, itself or those of the group. */
  countOf(on: string, dependent?: string): number
}

const readKept = async (db: Db, accountId: string): Promise<Kept> => {
  const counts = new Map<string, number>()
  const count = (key: string): void => {
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  for (const { check_id: checkId, group_id: groupId, on } of await keptBackNow(db, accountId, mostKeptBack)) {
    if (on === null) continue
    count(on)
    count(`${on} ${subjectText({ checkId })}`)
    if (groupId !== null) count(`${on} ${subjectText({ groupId })}`)
  }
  return {
    countOf: (on, dependent) => counts.get(dependent === undefined ? on : `${on} ${dependent}`) ?? 0,
  }
}
