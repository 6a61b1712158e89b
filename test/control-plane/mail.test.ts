import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import t, { type Test } from 'tap'
import { mailOf } from '../../control-plane/alerting/channels/mail-of.ts'
import { messageOf } from '../../control-plane/alerting/message.ts'
import { createMail } from '../../control-plane/mail.ts'
import { alertEvent } from '../support/alerting.ts'
import { tcpServer } from '../support/servers.ts'

const mailServer = async (t: Test, options: SMTPServerOptions = {}) => {
  const received: Email[] = []
  const logins: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, session, done) => {
      logins.push(`${username}:${password} ${session.secure}`)
      done(null, { user: username ?? '' })
    },
    onData: (stream, _, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        received.push(await PostalMime.parse(Buffer.concat(chunks)))
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as { port: number }
  return { port, received, logins }
}

const from = 'Watchpost <alerts@example.com>'
const mailTo = (smtpUrl: string, timeoutMs = 5000) => createMail({ settings: { smtpUrl, from }, timeoutMs })
const message = messageOf(alertEvent({ checkName: 'Café <b>"x"</b>\r\nBcc: eve@example.com' }), {
  id: 'n1',
  baseUrl: 'https://watchpost.example',
})
const mail = { to: 'ada@example.com', ...mailOf(message), messageId: 'n1@watchpost' }
const refusal = (responseCode: number) => Object.assign(new Error('no'), { responseCode })

t.test('a mail arrives in text and HTML, and a name adds neither headers nor markup', async (t) => {
  const { port, received } = await mailServer(t)
  t.match(await mailTo(`smtp://127.0.0.1:${port}`).send(mail), /^250/)
  const [got] = received
  t.match(got, {
    messageId: '<n1@watchpost>',
    to: [{ address: 'ada@example.com' }],
    from: { address: 'alerts@example.com' },
  })
  t.strictSame(got?.bcc ?? [], [])
  t.match(got?.subject, /^\[Failing\] Check "Café/)
  t.match(got?.text, 'Expected the status to equal 200')
  t.match(got?.html, 'Café &lt;b&gt;&quot;x&quot;&lt;/b&gt;')
})

t.test('a password is sent only over an encrypted connection unless the operator allows it', async (t) => {
  const { port, logins } = await mailServer(t)
  const url = `smtp://ada:s%2Fcret@127.0.0.1:${port}`
  t.match(
    await mailTo(url)
      .send(mail)
      .catch((error) => error),
    { name: 'MailError' },
  )
  t.strictSame(logins, [])
  await mailTo(`${url}?tls=optional`).send(mail)
  t.strictSame(logins, ['ada:s/cret false'])
})

t.test('4yz may be tried again, 5yz not, and a server that stalls is left', async (t) => {
  for (const [code, permanent] of [
    [451, false],
    [550, true],
  ] as const) {
    const { port } = await mailServer(t, { onRcptTo: (_, __, done) => done(refusal(code)) })
    const failure = await mailTo(`smtp://127.0.0.1:${port}`)
      .send(mail)
      .catch((error) => error)
    t.match(failure, { name: 'MailError', permanent, message: new RegExp(`${code}`) })
  }
  const silent = await tcpServer(t, () => undefined)
  const failure = await mailTo(`smtp://127.0.0.1:${silent.port}`, 200)
    .send(mail)
    .catch((error) => error)
  t.match(failure, { name: 'MailError', permanent: false })
  t.match(
    await createMail({ settings: null })
      .send(mail)
      .catch((error) => error),
    { permanent: true, message: /SMTP_URL/ },
  )
})
