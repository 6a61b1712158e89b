import { channelsOfCheck, subjectText } from '../../../alerting/alert-channels/subscriptions.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import { seesLockedValues } from '../../../platform/words/shapes/roles.ts'
import { checkAnswerCache } from './check-answer-cache.ts'
import { findCheck, findCheckHead } from './queries.ts'
import type { Check } from './schema.ts'
import { type OneView, serializeCheck } from './serialize-check.ts'

type ReadCheck = { check: Check; version: number }

/**
 * One check as somebody may see it. The hottest read of the API: what says whether it changed (its version, who is
 * subscribed) is read first, and the check itself only if it did.
 */
export const readCheck = async (
  app: App & HasCipher,
  id: string,
  view: OneView,
): Promise<ReadCheck | undefined> => {
  const { accountId, role, seesSecrets = false } = view.principal
  const head = await app.db.get(findCheckHead, { id, accountId, subject: subjectText({ checkId: id }) })
  if (!head) return undefined
  const channels =
    head.subscription_id === null ? [] : await channelsOfCheck(app.db, { accountId, checkId: id })
  const subscribed = channels.map((one) => `${one.channel_id}/${one.version}/${one.activated}`).join()
  // With a group's settings or with files, it depends on more than what was read here.
  const memory = view.applyGroupSettings || view.includeFiles ? null : checkAnswerCache(app)
  const sight = seesSecrets ? ' with secrets' : seesLockedValues(role) ? '' : ' without locked values'
  const name = `${id}${sight}`
  const known = memory?.recall(name, `${head.version} ${subscribed}`)
  if (known) return { check: known, version: head.version }
  const row = await app.db.get(findCheck, { id, accountId })
  if (!row) return undefined
  const check = await serializeCheck(app, row, { ...view, channels })
  memory?.remember(name, `${row.version} ${subscribed}`, check)
  return { check, version: row.version }
}
