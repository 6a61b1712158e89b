/**
 * A store without room is told to the owners by mail, beside the log that nobody may look at: nothing new is kept meanwhile.
 * The queue of mails is in that very store, so these go straight to the mail server.
 */
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { lastMet } from '../../platform/app/report-store-error.ts'
import { type HasMail, MailError, type OutgoingMail } from '../../platform/services/mail/mail.ts'
import { mailTemplate, withFooter } from '../../platform/services/mail/mail-template.ts'
import type { HasLocales } from '../../platform/web/html/locales.ts'
import { type Speech, speechOf } from '../../platform/web/html/speech.ts'
import { ownersOfAll } from './queries.ts'

/** Of one that was seen so lately it is still true. */
const recentMs = 60_000
/** One mail in so long, however often the store fills up. */
const againMs = 24 * 3_600_000
/** Mails of one alarm at most: an installation with more owners has other eyes. */
const maxOwners = 50

const toldAt = perApp(() => new Map<string, number>())

export const fullStoreTick = async (app: App & HasLocales & HasMail): Promise<void> => {
  const now = app.clock.now()
  const seenAt = lastMet(app, 'full') ?? Number.NEGATIVE_INFINITY
  if (!app.mail.configured || now - seenAt > recentMs) return
  const told = toldAt(app)
  for (const { email, language } of await app.db.all(ownersOfAll, { limit: maxOwners })) {
    if (now - (told.get(email) ?? Number.NEGATIVE_INFINITY) < againMs) continue
    if (await sent(app, { to: email, ...withFooter(news(app, speechOf(app, language)), []) }))
      told.set(email, now)
  }
}

const sent = async (app: App & HasMail, mail: Omit<OutgoingMail, 'messageId'>): Promise<boolean> => {
  try {
    await app.mail.send({ ...mail, messageId: `${app.newId()}@watchpost` })
    return true
  } catch (error) {
    if (!(error instanceof MailError)) throw error
    app.log.warn({ err: error }, 'An owner could not be told that the store is full; it is tried again')
    return false
  }
}

const news = ({ config: { baseUrl } }: App, { lang, text }: Speech) =>
  mailTemplate({
    lang,
    subject: text('Watchpost has no room to store results'),
    heading: text('The store is full'),
    parts: [
      text(
        'The control plane at {0} cannot store anything new: results wait at the agents, which keep only so many, and changes are refused with 507.',
        baseUrl,
      ),
      text(
        'Make room on the volume of DATA_DIR (or of the database server), or delete checks that you do not need. It goes on by itself as soon as there is room.',
      ),
    ],
  })
