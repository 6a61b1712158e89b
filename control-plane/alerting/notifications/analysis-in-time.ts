/**
 * Why a check fails, for the message that is about to leave. Nothing waits for it longer than `deadlineMs`: a message without a
 * cause is better than a late one. What one message has found serves the others of the same run, and those that are tried again.
 */

import { boundedCache } from '../../../protocol/bounded-memo.ts'
import { createSemaphore } from '../../../protocol/semaphore.ts'
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import type { AlertEvent } from '../messages/alert-event.ts'
import type { AlertAnalysis, HasAnalyses } from '../templates/asked-of-others.ts'

export const deadlineMs = 200

/** When everything fails at once, only so many look for causes; the messages of the others leave without. */
const bounds = { total: 8, ofOneOwner: 4, waitingOfOneOwner: 60 }
const maxKnown = 1000

const none: AlertAnalysis = { fields: {}, told: null }

const stateOf = perApp(() => ({
  known: boundedCache<string, Promise<AlertAnalysis>>(maxKnown),
  places: createSemaphore(bounds),
}))

type AskingApp = App & HasAnalyses & HasCipher

/** Never throws: what could not be found out is not said. (An abort without a reason makes an error with its stack, for nobody.) */
export const analysisInTime = async (app: AskingApp, event: AlertEvent): Promise<AlertAnalysis> => {
  if (event.errorMessage === null || event.location !== null) return none
  const over = new AbortController()
  const deadline = new AbortController()
  const late = app.clock.sleep(deadlineMs, over.signal).then(() => {
    deadline.abort(null)
    return none
  })
  const analysis = await Promise.race([sharedAnalysis(app, event, deadline.signal), late])
  over.abort(null)
  return analysis
}

/** `signal` ends the wait for a place; what has begun goes on, for the next message. */
const sharedAnalysis = (app: AskingApp, event: AlertEvent, signal: AbortSignal): Promise<AlertAnalysis> => {
  const { known } = stateOf(app)
  const key = `${event.checkId} ${event.checkResultId} ${event.errorMessage}`
  const before = known.get(key)
  if (before !== undefined) return before
  const found = findAnalysis(app, event, signal).then((analysis) => {
    if (analysis === null) known.delete(key)
    return analysis ?? none
  })
  known.set(key, found)
  return found
}

/** Null: it was not found out, and may be asked again. */
const findAnalysis = async (
  app: AskingApp,
  event: AlertEvent,
  signal: AbortSignal,
): Promise<AlertAnalysis | null> => {
  const release = await stateOf(app).places.acquire({ owner: event.accountId, signal })
  if (release === null) return null
  try {
    return await app.lookups.analysisOf(app, event)
  } catch (error) {
    app.log.warn({ err: error, checkId: event.checkId }, 'A message leaves without the probable cause')
    return null
  } finally {
    release()
  }
}
