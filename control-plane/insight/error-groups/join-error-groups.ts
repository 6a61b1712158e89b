import type { FinalResult } from '../../monitoring/outcomes/consequences.ts'
import { cleanErrorMessage } from '../../monitoring/runs/clean-error-message.ts'
import { errorGroupIdOf, errorHash, groupId } from '../../monitoring/runs/error-group-id.ts'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { runForRows } from '../../platform/store/database/row-statement.ts'
import { requestAutomaticAnalyses } from '../root-cause-analyses/automatic-analysis.ts'
import { errorGroupRows, errorGroupsById, noteGroupOfCopy, projectsOfSessions } from './queries.ts'

/** Of the raw message this much is kept, in characters. */
const maxRawLength = 4096

type Named = 'accountId' | 'checkId' | 'originId' | 'sessionId' | 'isTest' | 'checkType' | 'startedAt'
type FailedRun = Pick<FinalResult, Named> & { error: string }

/**
 * The error groups of failing final results, made where an error is new. A new group of an account that wants automatic
 * analyses gets one, once for ever: whoever else takes it for new asks for the same one. Failures of tests are analysed for whoever asks. Belongs in the transaction that stores the results.
 */
export const joinErrorGroups = async (
  trx: Db,
  failed: readonly FailedRun[],
  { now }: Pick<Stamp, 'now'>,
): Promise<void> => {
  if (failed.length === 0) return
  const groups = groupsOf(failed, await projectsOf(trx, failed))
  const ids = groups.map(({ id }) => id)
  const known = new Set((await trx.all(errorGroupsById, { ids })).map(({ id }) => id))
  await runForRows(trx, errorGroupRows, groups)
  for (const { isTest, checkId, originId, error } of failed)
    if (isTest)
      await trx.run(noteGroupOfCopy, { id: checkId, errorGroupId: errorGroupIdOf(originId, error, true) })
  const made = groups.filter(({ id, ofTests }) => !ofTests && !known.has(id))
  await requestAutomaticAnalyses(
    trx,
    made.map(({ id: errorGroupId, accountId, checkId, checkType }) => ({
      accountId,
      checkId,
      checkType,
      errorGroupId,
      now,
    })),
  )
}

/** By session: whose tests failed. */
const projectsOf = async (
  trx: Db,
  failed: readonly FailedRun[],
): Promise<ReadonlyMap<string, string | null>> => {
  const ids = [...new Set(failed.flatMap(({ isTest, sessionId }) => (isTest ? [sessionId] : [])))]
  if (ids.length === 0) return new Map()
  return new Map((await trx.all(projectsOfSessions, { ids })).map(({ id, project }) => [id, project]))
}

/** Each once, in the order of their ids, so that transactions do not deadlock. */
const groupsOf = (failed: readonly FailedRun[], projects: ReadonlyMap<string, string | null>) => {
  const groups = new Map<string, ReturnType<typeof groupOf>>()
  for (const run of failed) {
    const group = groupOf(run, projects.get(run.sessionId) ?? null)
    const before = groups.get(group.id)
    groups.set(
      group.id,
      before === undefined
        ? group
        : {
            ...group,
            firstAt: Math.min(before.firstAt, group.firstAt),
            lastAt: Math.max(before.lastAt, group.lastAt),
            events: before.events + 1,
          },
    )
  }
  return [...groups.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

const groupOf = (
  { accountId, originId: checkId, isTest, checkType, error, startedAt }: FailedRun,
  project: string | null,
) => {
  const cleaned = cleanErrorMessage(error)
  const hash = errorHash(cleaned)
  return {
    id: groupId(checkId, hash, isTest),
    accountId,
    checkId,
    checkType,
    ofTests: isTest,
    project,
    hash,
    raw: error.slice(0, maxRawLength).toWellFormed(),
    cleaned,
    firstAt: startedAt,
    lastAt: startedAt,
    events: 1,
  }
}
