/**
 * What the runs of a check are judged and retried by, as it was last read from the check's document: a part of a kilobyte
 * of JSON that changes seldom and is needed at every run. By version: whoever asks reads that from the store first, so a
 * change counts at once, whichever control plane made it.
 */
import { boundedCache } from '../../../../protocol/bounded-memo.ts'
import { perApp } from '../../../platform/app/per-app.ts'

/** Thresholds in milliseconds, null for none. */
export type JudgedDoc = {
  degradedResponseTime: number | null
  maxResponseTime: number | null
  retryStrategy?: object | null
  doubleCheck?: boolean
  runParallel?: boolean
}

export type CheckDocCache = {
  recall(id: string, version: number): JudgedDoc | undefined
  remember(id: string, version: number, doc: JudgedDoc): JudgedDoc
}

/** What a document does not have, its part does not have either: for retries that is a difference. */
const partOf = (whole: JudgedDoc): JudgedDoc => {
  const { degradedResponseTime, maxResponseTime } = whole
  const part: JudgedDoc = { degradedResponseTime, maxResponseTime }
  if (whole.retryStrategy !== undefined) part.retryStrategy = whole.retryStrategy
  if (whole.doubleCheck !== undefined) part.doubleCheck = whole.doubleCheck
  if (whole.runParallel !== undefined) part.runParallel = whole.runParallel
  return part
}

/** A quarter of a kilobyte each. */
const maxRemembered = 50_000

export const createCheckDocCache = (): CheckDocCache => {
  // The one that was read longest ago goes: those that are run often and never change come back with one miss.
  const known = boundedCache<string, { version: number; doc: JudgedDoc }>(maxRemembered)
  return {
    recall: (id, version) => {
      const hit = known.get(id)
      return hit?.version === version ? hit.doc : undefined
    },
    remember: (id, version, whole) => {
      const doc = partOf(whole)
      known.set(id, { version, doc })
      return doc
    },
  }
}

export const checkDocCache = perApp(createCheckDocCache)
