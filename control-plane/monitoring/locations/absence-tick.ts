/**
 * The loop that notices private locations without agents: checks run there, and nobody comes for them. That is told to
 * the account's owners and admins, once, and once more when an agent is back. It is no outage of the checks: their runs
 * are missed runs (runs/sweep.ts).
 */

import type { App } from '../../platform/app/app.ts'
import { instantInWords } from '../../platform/services/mail/dates.ts'
import { mailTemplate } from '../../platform/services/mail/mail-template.ts'
import { queueMail } from '../../platform/services/mail/queue-mail.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import type { Db } from '../../platform/store/database/db.ts'
import {
  absences,
  endAbsence,
  insertAbsence,
  locationsWithChecks,
  noticeAbsence,
  ownersAndAdmins,
} from './absence-queries.ts'
import { agentGoneMs } from './agents/agent-presence.ts'

/** So long without an agent, and people are told. */
const absentMs = 10 * 60_000

type AbsentLocation = { id: string; account_id: string; name: string; last_seen_at: number | null }

export const absenceTick = async (
  app: App & HasCipher,
  _signal?: AbortSignal,
  knownUntil = Number.POSITIVE_INFINITY,
): Promise<void> => {
  const now = Math.min(app.clock.now(), knownUntil)
  const locations = new Map(
    (await app.db.all(locationsWithChecks, {})).map((location) => [location.id, location]),
  )
  const known = new Map((await app.db.all(absences, {})).map((row) => [row.location_id, row]))
  for (const location of locations.values()) {
    const isHere = (location.last_seen_at ?? 0) > now - agentGoneMs
    const absence = known.get(location.id)
    if (isHere && absence) await end(app, location, now)
    if (isHere) continue
    if (!absence)
      await app.db.run(insertAbsence, { locationId: location.id, accountId: location.account_id, now })
    else if (absence.noticed_at === null && absence.since <= now - absentMs) await notice(app, location, now)
  }
  // Nothing runs there any longer, or the location is gone: nobody is missed.
  for (const locationId of known.keys())
    if (!locations.has(locationId)) await app.db.run(endAbsence, { locationId })
}

const notice = (app: App & HasCipher, location: AbsentLocation, now: number): Promise<void> =>
  app.db.transaction(async (trx) => {
    if ((await trx.run(noticeAbsence, { locationId: location.id, now })) === 0) return
    const seen =
      location.last_seen_at === null
        ? 'No agent has ever been seen there.'
        : `The last agent was seen on ${instantInWords(location.last_seen_at)}.`
    await tell(trx, app, location, {
      now,
      subject: `No agent in location ${location.name}`,
      text: `Checks of your account run in the private location "${location.name}", and no agent serves it. ${seen} Their runs are missed until an agent returns; that is not counted as an outage of what they check.`,
    })
  })

const end = (app: App & HasCipher, location: AbsentLocation, now: number): Promise<void> =>
  app.db.transaction(async (trx) => {
    const ended = await trx.get(endAbsence, { locationId: location.id })
    if (!ended || ended.noticed_at === null) return
    await tell(trx, app, location, {
      now,
      subject: `An agent is back in location ${location.name}`,
      text: `Checks run in the private location "${location.name}" again.`,
    })
  })

type News = { now: number; subject: string; text: string }

const tell = async (
  trx: Db,
  app: App & HasCipher,
  location: AbsentLocation,
  { now, subject, text }: News,
): Promise<void> => {
  const content = mailTemplate({ subject, heading: subject, parts: [text] })
  for (const { email } of await trx.all(ownersAndAdmins, { accountId: location.account_id }))
    await queueMail(trx, app, { kind: 'LOCATION', accountId: location.account_id, to: email, content, now })
}
