/** One mail to an account's owners and admins on all that was over before anybody could be told. */
import type { App } from '../../../platform/app/app.ts'
import { type MailContent, mailTemplate } from '../../../platform/services/mail/mail-template.ts'
import { queueMail } from '../../../platform/services/mail/queue-mail.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { PastOutagesTable } from '../../../platform/store/database/tables/runs.ts'
import type { HasLocales } from '../../../platform/web/html/locales.ts'
import { type Speech, speechOf } from '../../../platform/web/html/speech.ts'
import { ownersAndAdmins } from '../../locations/problem-queries.ts'
import { accountsWithPastOutages, takePastOutages } from './past-outages.ts'

export const sendDigests = async (app: App & HasCipher & HasLocales): Promise<void> => {
  for (const { account_id: accountId } of await app.db.all(accountsWithPastOutages, {}))
    await app.db.transaction(async (trx) => {
      const outages = await trx.all(takePastOutages, { accountId })
      if (outages.length === 0) return
      const now = app.clock.now()
      for (const { email, language } of await trx.all(ownersAndAdmins, { accountId })) {
        const content = digestOf(outages, speechOf(app, language))
        await queueMail(trx, app, { kind: 'OUTAGE_DIGEST', accountId, to: email, content, now })
      }
    })
}

/** More would be a list that nobody reads. */
const mostLines = 50

/** Pure. */
const digestOf = (
  outages: readonly PastOutagesTable[],
  { lang, text, counted, instant }: Speech,
): MailContent => {
  const inOrder = outages.toSorted((a, b) => a.from_at - b.from_at || (a.name < b.name ? -1 : 1))
  const checks = new Set(outages.map(({ check_id }) => check_id)).size
  const subject = counted(checks, {
    one: 'One check failed while the control plane was away',
    other: '# checks failed while the control plane was away',
  })
  const more = inOrder.length - mostLines
  return mailTemplate({
    lang,
    subject,
    heading: subject,
    parts: [
      text(
        'Agents went on by themselves. What follows began and ended before anybody could be told; all of it is in the results and on status pages.',
      ),
      ...inOrder.slice(0, mostLines).map(({ name, level, from_at, to_at }) => ({
        title: name,
        text: text(
          level === 'failing' ? 'Failing from {0} to {1}.' : 'Degraded from {0} to {1}.',
          instant(from_at),
          instant(to_at),
        ),
      })),
      ...(more > 0 ? [counted(more, { other: 'And # more.' })] : []),
    ],
  })
}
