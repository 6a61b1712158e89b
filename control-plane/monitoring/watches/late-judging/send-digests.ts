/** One mail to an account's owners and admins on all that was over before anybody could be told. */
import type { App } from '../../../platform/app/app.ts'
import { instantInWords } from '../../../platform/services/mail/dates.ts'
import { type MailContent, mailTemplate } from '../../../platform/services/mail/mail-template.ts'
import { queueMail } from '../../../platform/services/mail/queue-mail.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { PastOutagesTable } from '../../../platform/store/database/tables/runs.ts'
import { ownersAndAdmins } from '../../locations/absence-queries.ts'
import { accountsWithPastOutages, takePastOutages } from './past-outages.ts'

export const sendDigests = async (app: App & HasCipher): Promise<void> => {
  for (const { account_id: accountId } of await app.db.all(accountsWithPastOutages, {}))
    await app.db.transaction(async (trx) => {
      const outages = await trx.all(takePastOutages, { accountId })
      if (outages.length === 0) return
      const content = digestOf(outages)
      const now = app.clock.now()
      for (const { email } of await trx.all(ownersAndAdmins, { accountId }))
        await queueMail(trx, app, { kind: 'OUTAGE_DIGEST', accountId, to: email, content, now })
    })
}

/** More would be a list that nobody reads. */
const mostLines = 50

/** Pure. */
const digestOf = (outages: readonly PastOutagesTable[]): MailContent => {
  const inOrder = outages.toSorted((a, b) => a.from_at - b.from_at || (a.name < b.name ? -1 : 1))
  const checks = new Set(outages.map(({ check_id }) => check_id)).size
  const subject =
    checks === 1
      ? 'One check failed while the control plane was away'
      : `${checks} checks failed while the control plane was away`
  const more = inOrder.length - mostLines
  return mailTemplate({
    subject,
    heading: subject,
    parts: [
      'Agents went on by themselves. What follows began and ended before anybody could be told; all of it is in the results and on status pages.',
      ...inOrder.slice(0, mostLines).map(({ name, level, from_at, to_at }) => ({
        title: name,
        text: `${level === 'failing' ? 'Failing' : 'Degraded'} from ${instantInWords(from_at)} to ${instantInWords(to_at)}.`,
      })),
      ...(more > 0 ? [`And ${more} more.`] : []),
    ],
  })
}
