import { checkDoc } from '../../monitoring/definitions/checks/check-doc.ts'
import { hostOfCheck } from '../../monitoring/definitions/checks/check-target.ts'
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import type { NeighbourFacts } from './facts.ts'
import { activeChecks, runAround } from './history-queries.ts'

const maxChecks = 500
/** Neighbours count as failing at the same time within this of the failure. */
const sameTimeMs = 10 * 60_000
/**
 * When much fails at once there are as many analyses, which all ask the same of the store: those whose failures, and whose
 * questions, lie in one such step share the answer.
 */
const shareMs = 10_000
const maxShared = 50

type CheckRun = NeighbourFacts & { checkId: string }
type Answer = { askedAt: number; runs: Promise<CheckRun[]> }

const answersOf = perApp(() => new Map<string, Answer>())

/** How the account's other checks did at that time; those that did not run then are left out. */
export const neighboursOf = async (
  app: App,
  { checkId, accountId }: { checkId: string; accountId: string },
  at: number,
): Promise<NeighbourFacts[]> => {
  const answers = answersOf(app)
  const now = app.clock.now()
  const key = `${accountId} ${Math.floor(at / shareMs)}`
  let answer = answers.get(key)
  if (answer === undefined || now - answer.askedAt >= shareMs) {
    answer = { askedAt: now, runs: runsAround(app, accountId, at) }
    // What could not be read is read again; whoever asked is told.
    answer.runs.catch(() => answers.delete(key))
    answers.delete(key)
    answers.set(key, answer)
    const [oldest] = answers.keys()
    if (answers.size > maxShared && oldest !== undefined) answers.delete(oldest)
  }
  const runs = await answer.runs
  return runs.filter((run) => run.checkId !== checkId).map(({ name, host, fails }) => ({ name, host, fails }))
}

const runsAround = async (app: App, accountId: string, at: number): Promise<CheckRun[]> => {
  const runs: CheckRun[] = []
  for (const { id, name, type, doc } of await app.db.all(activeChecks, { accountId, limit: maxChecks })) {
    const run = await runAround(app.db, { checkId: id, since: at - sameTimeMs, until: at + sameTimeMs })
    if (run)
      runs.push({
        checkId: id,
        name,
        host: hostOfCheck(type, checkDoc.read(doc).request),
        fails: run.has_failures,
      })
  }
  return runs
}
