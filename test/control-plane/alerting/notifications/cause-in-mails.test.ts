/** The probable cause and the first step in a mail are in the language of who reads it, as everything else in it is. */
import t from 'tap'
import { setLanguage } from '../../../../control-plane/access/credentials/queries.ts'
import { catalogs } from '../../../../control-plane/pages/dashboard/translations/catalogs.ts'
import { addChannel, dispatch } from '../../../support/alerting.ts'
import { urlMonitor } from '../../../support/api.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { withMailbox } from '../../../support/mailbox.ts'
import { addPerson } from '../../../support/members.ts'
import { work } from '../../../support/work.ts'

const email = 'ada@example.com'

/** Of a connection that was refused: what the rule says in English, without what is put in. */
const cause = '{0} refused the connection: '
const english = /refused the connection|is the service running|Probable cause|What to look at first/

const mailOfFailure = async (t: Parameters<typeof withMailbox>[0], plane: TestApp, language: string) => {
  const { userId } = await addPerson(plane, { email, role: 'OWNER' })
  await plane.app.db.run(setLanguage, { userId, language })
  plane.app.config = { ...plane.app.config, mail: { smtpUrl: 'smtp://127.0.0.1', from: 'w@example.com' } }
  const box = await withMailbox(t, plane)
  await addChannel(plane, 'EMAIL', { address: email })
  await plane.call('POST', '/v1/checks/url', {
    body: { ...urlMonitor('Home page', 'http://127.0.0.1/'), doubleCheck: false },
  })
  t.equal(await work(plane, 'failing'), 1)
  await dispatch(plane.app)
  return box.mails[0]
}

for (const [lang, catalog] of catalogs)
  t.test(`no English cause is left in a mail in ${lang}`, async (t) => {
    const mail = await mailOfFailure(t, await testApp(t), lang)
    const [, translation = ''] = Object.entries(catalog).find(([text]) => text.startsWith(cause)) ?? []
    const pieces = String(translation).split(/\{\d+\}/)
    t.equal(pieces.length, 2, 'the sentence of the rule is translated')
    for (const form of [mail?.text ?? '', mail?.html ?? '']) {
      t.notMatch(form, english)
      t.ok(pieces.every((piece) => form.replace(/\s+/g, ' ').includes(piece.trim())))
    }
  })

t.test('in English it is English', async (t) => {
  const mail = await mailOfFailure(t, await testApp(t), 'en')
  t.match(mail?.text, /Probable cause: .*refused the connection/s)
  t.match(mail?.text, /What to look at first: .*is the service running/s)
})
