/** A problem of a location, or its end, as an alert; owners and admins are mailed where no channel is to be told. */
import { recordAlerts } from '../../../alerting/engine/record-alert.ts'
import { type AlertEvent, ofNoRun } from '../../../alerting/messages/alert-event.ts'
import {
  type LocationProblem,
  locationAlertType,
  locationReason,
  locationTitle,
  type ToldLocation,
} from '../../../alerting/messages/location-problem.ts'
import type { App } from '../../../platform/app/app.ts'
import { mailTemplate } from '../../../platform/services/mail/mail-template.ts'
import { queueMail } from '../../../platform/services/mail/queue-mail.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { HasLocales } from '../../../platform/web/html/locales.ts'
import { englishSpeech, speechOf } from '../../../platform/web/html/speech.ts'
import { noteMailed, ownersAndAdmins } from '../../locations/problem-queries.ts'

export type SeenLocation = {
  id: string
  accountId: string
  /** Null: it is gone. */
  name: string | null
  lastSeenAt: number | null
  isServed: boolean
  lateMinutes: number
  scalesToZero: boolean
  waitingMinutes: number
  /** Oldest first. */
  versions: readonly string[]
  controlPlaneVersion: string
  supportedVersion: string
  hasChecks: boolean
}

type Told = {
  seen: SeenLocation
  problem: LocationProblem
  since: number
  isOver: boolean
  /** Whoever was told that it began is told that it is over. */
  wasMailed?: boolean
  now: number
}

export const tellProblem = async (
  trx: Db,
  app: App & HasCipher & HasLocales,
  { seen, problem, since, isOver, wasMailed = false, now }: Told,
): Promise<void> => {
  const { id, accountId, name, lastSeenAt, lateMinutes, versions, supportedVersion, hasChecks } = seen
  if (name === null) return
  const location: ToldLocation = {
    ...{ id, name, problem, lastSeenAt, lateMinutes, supportedVersion, hasChecks },
    oldestVersion: versions[0] ?? null,
  }
  const stamp = { now, newId: app.newId }
  const event = eventOf(location, { id: app.newId(), accountId, since, isOver, now })
  const messages = await recordAlerts(trx, [{ event, afterFailure: false, isFirst: true }], stamp)
  if (!(isOver ? wasMailed : messages === 0)) return
  for (const { email, language } of await trx.all(ownersAndAdmins, { accountId })) {
    const speech = speechOf(app, language)
    const head = locationTitle(location, { isOver, speech })
    const parts = [locationReason(location, { isOver, speech })]
    const content = mailTemplate({ lang: speech.lang, subject: head, heading: head, parts })
    await queueMail(trx, app, { kind: 'LOCATION', accountId, to: email, content, now })
  }
  if (!isOver) await trx.run(noteMailed, { locationId: id, problem })
}

type Around = { id: string; accountId: string; since: number; isOver: boolean; now: number }

const eventOf = (
  location: ToldLocation,
  { id: checkAlertId, accountId, since, isOver, now }: Around,
): AlertEvent => ({
  ...ofNoRun,
  alertType: locationAlertType(location.problem, isOver),
  accountId,
  checkAlertId,
  checkId: location.id,
  checkName: location.name,
  checkType: null,
  checkDescription: null,
  groupId: null,
  groupName: null,
  tags: [],
  errorMessage: isOver ? null : locationReason(location, { isOver, speech: englishSpeech }),
  startedAt: since,
  at: now,
  failingSince: since,
  location,
})
