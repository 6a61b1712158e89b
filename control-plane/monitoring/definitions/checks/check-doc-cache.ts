/**
 * What the runs of a check are judged and retried by, as it was last read from the check's document: a part of a kilobyte
 * of JSON that changes seldom and is needed at every run. By version: whoever asks reads that from the store first, so a
 * change counts at once, whichever control plane made it.
 */
import { boundedCache } from '../../../../protocol/bounded-memo.ts'
import { perApp } from '../../../platform/app/per-app.ts'
import type { RetriedCheck } from '../../runs/retry-of.ts'

type Doc = RetriedCheck['doc']

export type CheckDocCache = {
  recall(id: string, version: number): Doc | undefined
  remember(id: string, version: number, doc: Doc): Doc
}

/** What a document does not have, its part does not have either: for retries that is a difference. */
const partOf = (whole: Doc): Doc => {
  const { degradedResponseTime, maxResponseTime } = whole
  const part: Doc = { degradedResponseTime, maxResponseTime }
  if (whole.retryStrategy !== undefined) part.retryStrategy = whole.retryStrategy
  if (whole.doubleCheck !== undefined) part.doubleCheck = whole.doubleCheck
  if (whole.runParallel !== undefined) part.runParallel = whole.runParallel
  return part
}

/** A quarter of a kilobyte each. */
const maxRemembered = 50_000

export const createCheckDocCache = (): CheckDocCache => {
  // The one that was read longest ago goes: those that are run often and never change come back with one miss.
  const known = boundedCache<string, { version: number; doc: Doc }>(maxRemembered)
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
