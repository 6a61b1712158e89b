// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { mailTick } from '../../../../control-plane/platform/services/mail/mail-tick.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { withMailbox } from '../../../support/mailbox.ts'

for (const engine of engineNames)
  t.test(`the invited person gets a mail with a token that works (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const box = await withMailbox(t, plane)
    const invites = '/v1/accounts/me/invites'
    const { body } = await plane.call('POST', invites, {
      body: { email: 'ada@example.com', role: 'READ_WRITE' },
    })
    await mailTick(plane.app)
    t.equal(box.mails.length, 1)
    const [mail] = box.mails
    t.match(mail, { to: [{ address: 'ada@example.com' }], subject: 'Invitation to Test' })
    const token = /"token":"(wi_[\w-]+)"/.exec(mail?.text ?? '')?.[1]
    t.equal(token, body.token)
    const stored = await plane.app.db.select((k) => k.selectFrom('mail_contents').selectAll())
    t.notMatch(JSON.stringify(stored), token ?? '', 'what a mail says is sealed in the store')
    const again = await plane.call('POST', `${invites}/${body.id}/resend`)
    await mailTick(plane.app)
    t.equal(box.mails.length, 2, again.text)
    t.match(box.mails[1]?.text, again.body.token)
    const accepted = await plane.call('POST', '/v1/invites/accept', {
      key: null,
      body: { token: again.body.token },
    })
    t.equal(accepted.status, 201)
  })
