/**
 * What alerting asks about dependencies (alerting/engine/advance-in-silence.ts), answered for all checks of a transaction: which there are is
 * read once, when the first failure is about to be told.
 */
import { subjectText } from '../../../alerting/alert-channels/subscriptions.ts'
import type { Neighbours } from '../../../alerting/engine/advance-in-silence.ts'
import type { AlertSubject } from '../../../alerting/engine/alert-subject.ts'
import { type Dependency, holdFor } from '../../../alerting/engine/held-back.ts'
import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { dependenciesAround } from '../../definitions/dependencies/queries.ts'
import { apart } from '../../definitions/dependencies/schema.ts'
import { countDependents, wakeDependents } from './dependents.ts'
import { activeChecksOfGroups, knownOfChecks } from './queries.ts'
import { runNow } from './run-now.ts'

/** `subjects`: that may be asked about. `isPending`: a run of the check was stored, and is still to be judged. */
type Batch = { subjects: readonly AlertSubject[]; isPending?: (checkId: string) => boolean }

/** Of a larger group it is known what its last runs said; it is not run for the sake of others. */
const mostRunOfGroup = 20

export const neighboursIn = (
  trx: Db,
  stamp: Stamp,
  { subjects, isPending = () => false }: Batch,
): Neighbours & { wake: readonly string[] } => {
  const texts = [...new Set(subjects.flatMap(textsOf))].toSorted()
  const around = once(() => trx.all(dependenciesAround, { texts }))
  const dependenciesOf = async (text: string): Promise<string[]> =>
    (await around()).flatMap(({ dependent, depends_on }) => (dependent === text ? [depends_on] : []))
  const dependentsOn = async (text: string): Promise<string[]> =>
    (await around()).flatMap(({ dependent, depends_on }) => (depends_on === text ? [dependent] : []))
  const turned = new Map<string, boolean>()
  const wake: string[] = []
  const each = async (subject: AlertSubject, read: (text: string) => Promise<string[]>): Promise<string[]> =>
    (await Promise.all(textsOf(subject).map(read))).flat()
  return {
    wake,
    holdOf: async ({ subject, ...failure }) => {
      const on = await each(subject, dependenciesOf)
      if (on.length === 0 && failure.before === null) return null
      const known = await knownDependencies(trx, subject.accountId, on, { turned, isPending, now: stamp.now })
      const hold = holdFor({
        ...failure,
        dependencies: known.dependencies,
        waitMs: subject.dependencyWaitMs,
      })
      if (hold === null) return null
      const ids = hold.run === 'itself' ? [subject.id] : hold.run.flatMap((one) => known.checksOf(one))
      wake.push(...(await runNow(trx, ids, stamp)))
      return hold
    },
    dependentsOf: async ({ id: checkId, accountId }) => {
      const first = await dependentsOn(subjectText({ checkId }))
      return first.length === 0 ? 0 : countDependents(trx, accountId, { checkId, first })
    },
    turned: ({ id }, isDown) => {
      turned.set(id, isDown)
    },
    changed: async (changed) => {
      for (const [accountId, own] of Map.groupBy(changed, (one) => one.accountId)) {
        const dependents = (await Promise.all(own.map((one) => each(one, dependentsOn)))).flat()
        await wakeDependents(trx, { accountId, dependents, now: stamp.now })
      }
    },
  }
}

const once = <T>(read: () => Promise<T>): (() => Promise<T>) => {
  let known: Promise<T> | undefined
  return () => {
    known ??= read()
    return known
  }
}

const textsOf = ({ id, groupId }: Pick<AlertSubject, 'id' | 'groupId'>): string[] =>
  groupId === null ? [subjectText({ checkId: id })] : [subjectText({ checkId: id }), subjectText({ groupId })]

type InBatch = {
  turned: ReadonlyMap<string, boolean>
  isPending: (checkId: string) => boolean
  now: number
}
type Known = { dependencies: Dependency[]; checksOf: (on: string) => string[] }

export const knownDependencies = async (
  trx: Db,
  accountId: string,
  on: readonly string[],
  { turned, isPending, now }: InBatch,
): Promise<Known> => {
  const { checkIds, groupIds } = apart(on)
  const members = await activeChecksOfGroups(trx, accountId, groupIds)
  const byGroup = Map.groupBy(members, ({ group_id }) => subjectText({ groupId: group_id ?? 0 }))
  const checksOf = (one: string): string[] =>
    one.startsWith('group:') ? (byGroup.get(one) ?? []).map(({ id }) => id) : apart([one]).checkIds
  const ids = [...new Set([...checkIds, ...members.map(({ id }) => id)])].toSorted()
  const rows = ids.length === 0 ? [] : await trx.all(knownOfChecks, { ids })
  const known = new Map(rows.map((row) => [row.id, row]))
  const dependencies = [...new Set(on)].flatMap((one): Dependency[] => {
    const checks = checksOf(one).flatMap((id) => known.get(id) ?? [])
    if (checks.length === 0) return []
    return [
      {
        on: one,
        name: (one.startsWith('group:') ? checks[0]?.group_name : checks[0]?.name) ?? '',
        downSince: Math.max(
          ...checks.map(({ id, failing_since }) => (turned.has(id) ? now : Number(failing_since ?? 0))),
        ),
        isDown: checks.every(({ id, level }) => turned.get(id) ?? level === 'failing'),
        startedAt: Math.min(...checks.map(({ id, last_started_at: at }) => (isPending(id) ? 0 : (at ?? 0)))),
        canRun:
          checks.length <= mostRunOfGroup && checks.some(({ locations }) => (locations ?? '[]') !== '[]'),
      },
    ]
  })
  return { dependencies, checksOf }
}
