/**
 * The loop that notices private locations without agents: checks run there, and nobody comes for them. That is told to
 * the account's owners and admins, once, and once more when an agent is back. It is no outage of the checks: their runs
 * are missed runs (runs/sweep.ts).
 */

import type { App } from '../../platform/app/app.ts'
import { mailTemplate } from '../../platform/services/mail/mail-template.ts'
import { queueMail } from '../../platform/services/mail/queue-mail.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { HasLocales } from '../../platform/web/html/locales.ts'
import { type Speech, speechOf } from '../../platform/web/html/speech.ts'
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
  app: App & HasCipher & HasLocales,
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

const notice = (app: App & HasCipher & HasLocales, location: AbsentLocation, now: number): Promise<void> =>
  app.db.transaction(async (trx) => {
    if ((await trx.run(noticeAbsence, { locationId: location.id, now })) === 0) return
    await tell(trx, app, location, {
      now,
      subject: ({ text }) => text('No agent in location {0}', location.name),
      body: (speech) =>
        speech.text(
          'Checks of your account run in the private location "{0}", and no agent serves it. {1} Their runs are missed until an agent returns; that is not counted as an outage of what they check.',
          location.name,
          lastSeen(location, speech),
        ),
    })
  })

const lastSeen = ({ last_seen_at: at }: AbsentLocation, { text, instant }: Speech): string =>
  at === null
    ? text('No agent has ever been seen there.')
    : text('The last agent was seen on {0}.', instant(at))

const end = (app: App & HasCipher & HasLocales, location: AbsentLocation, now: number): Promise<void> =>
  app.db.transaction(async (trx) => {
    const ended = await trx.get(endAbsence, { locationId: location.id })
    if (!ended || ended.noticed_at === null) return
    await tell(trx, app, location, {
      now,
      subject: ({ text }) => text('An agent is back in location {0}', location.name),
      body: ({ text }) => text('Checks run in the private location "{0}" again.', location.name),
    })
  })

type Said = (speech: Speech) => string
type News = { now: number; subject: Said; body: Said }

const tell = async (
  trx: Db,
  app: App & HasCipher & HasLocales,
  location: AbsentLocation,
  { now, subject, body }: News,
): Promise<void> => {
  for (const { email, language } of await trx.all(ownersAndAdmins, { accountId: location.account_id })) {
    const speech = speechOf(app, language)
    const head = subject(speech)
    const content = mailTemplate({ lang: speech.lang, subject: head, heading: head, parts: [body(speech)] })
    await queueMail(trx, app, { kind: 'LOCATION', accountId: location.account_id, to: email, content, now })
  }
}
