/** Of checks that are not well: why, since when, and who was told. Few statements for all of them. */

import { alertStateDoc } from '../../alerting/engine/alert-state-doc.ts'
import { newestFinal } from '../../insight/result-pages/queries.ts'
import { resultDoc } from '../../monitoring/results/result-doc.ts'
import type { Content } from '../../platform/web/html/html.ts'
import { alertStatesOf, channelsOfChecks } from './queries.ts'
import type { RequestContext } from './request-context.ts'
import { sayWord } from './words.ts'

export type Reason = {
  text: string
  since: number | null
  /** Kinds of channels that its alerts go to. */
  channels: readonly Content[]
  wasTold: boolean
}

/** What alerting has judged knows its reason; of so many others the newest result is looked at. */
const maxQuestions = 8

export const reasonsOf = async (
  { app, principal: { accountId } }: RequestContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Reason>> => {
  if (ids.length === 0) return new Map()
  const states = await app.db.all(alertStatesOf, { checkIds: ids })
  const stateById = new Map(states.map(({ check_id, doc }) => [check_id, alertStateDoc.read(doc)]))
  const channels = await app.db.all(channelsOfChecks, { accountId, checkIds: ids })
  const reasons = new Map<string, Reason>()
  let asked = 0
  for (const id of ids) {
    const alerting = stateById.get(id)
    let text = alerting?.last?.errorMessage ?? null
    if (text === null && asked < maxQuestions) {
      asked += 1
      const newest = await newestFinal(app.db, id)
      text = newest === undefined ? null : resultDoc.read(newest.doc).error
    }
    reasons.set(id, {
      text: text ?? '',
      since: alerting?.state.failingSince || alerting?.state.changedAt || null,
      channels: channels.filter(({ check_id }) => check_id === id).map(({ type }) => sayWord(type, 'type')),
      wasTold: (alerting?.state.told ?? null) !== null,
    })
  }
  return reasons
}
