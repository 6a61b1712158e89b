// Runs in a process of its own: it changes which authorities the process trusts.
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import t, { type Test } from 'tap'
import { mailOf } from '../../../../../control-plane/alerting/channels/mail-of.ts'
import { messageOf } from '../../../../../control-plane/alerting/messages/message.ts'
import { createMail } from '../../../../../control-plane/platform/services/mail/mail.ts'
import { alertEvent } from '../../../../support/alerting.ts'
import { createAuthority } from '../../../../support/certificates.ts'
import { tcpServer } from '../../../../support/servers.ts'

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
const mailTo = (smtpUrl: string, timeoutMs = 60_000) => createMail({ settings: { smtpUrl, from }, timeoutMs })
const message = messageOf(alertEvent({ checkName: 'Café <b>"x"</b>\r\nBcc: eve@example.com' }), {
  id: 'n1',
  link: 'https://watchpost.example/results/token',
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

const authority = createAuthority()
const certificate = authority.issue({ altName: 'IP:127.0.0.1' })
setDefaultCACertificates([...getCACertificates('default'), authority.pem])

const failureOf = (url: string) =>
  mailTo(url)
    .send(mail)
    .catch((error) => error)

t.test('with STARTTLS and with implicit TLS the password and the mail are encrypted', async (t) => {
  const starting = await mailServer(t, { ...certificate, disabledCommands: [], allowInsecureAuth: false })
  t.match(await mailTo(`smtp://ada:s%2Fcret@127.0.0.1:${starting.port}`).send(mail), /^250/)
  const implicit = await mailServer(t, { ...certificate, secure: true, allowInsecureAuth: false })
  t.match(await mailTo(`smtps://ada:s%2Fcret@127.0.0.1:${implicit.port}`).send(mail), /^250/)
  for (const { logins, received } of [starting, implicit]) {
    t.strictSame(logins, ['ada:s/cret true'])
    t.match(received, [{ messageId: '<n1@watchpost>', to: [{ address: 'ada@example.com' }] }])
  }
  const open = await mailServer(t, { ...certificate, disabledCommands: [] })
  await mailTo(`smtp://127.0.0.1:${open.port}`).send(mail)
  t.equal(open.received.length, 1, 'without a user name STARTTLS is used where it is offered')
})

t.test('a server that cannot show who it is gets no password', async (t) => {
  const stranger = createAuthority().issue({ altName: 'IP:127.0.0.1' })
  const other = authority.issue({ altName: 'DNS:elsewhere.example' })
  for (const wrong of [stranger, other])
    for (const secure of [true, false]) {
      const { port, logins, received } = await mailServer(t, { ...wrong, secure, disabledCommands: [] })
      const failure = await failureOf(`${secure ? 'smtps' : 'smtp'}://ada:s%2Fcret@127.0.0.1:${port}`)
      t.match(failure, { name: 'MailError', permanent: false, message: /^The mail was not handed over: / })
      t.strictSame([...logins, ...received], [])
    }
})

t.test('a login that is refused is named, and never for good', async (t) => {
  for (const code of [535, 534, 454]) {
    const { port } = await mailServer(t, {
      ...certificate,
      secure: true,
      onAuth: ({ password }, _, done) =>
        done(Object.assign(new Error(`no ${password}`), { responseCode: code })),
    })
    const failure = await failureOf(`smtps://ada:s%2Fcret@127.0.0.1:${port}`)
    t.match(failure, {
      name: 'MailError',
      permanent: false,
      message: `The mail server does not accept the login of SMTP_URL; it answered: ${code} no ***`,
    })
  }
  const closed = await mailServer(t, { onMailFrom: (_, __, done) => done(refusal(530)) })
  t.match(await failureOf(`smtp://127.0.0.1:${closed.port}`), {
    permanent: false,
    message: /SMTP_URL.* 530/,
  })
})

t.test('at every step 4yz is for now and 5yz for good', async (t) => {
  const steps: Record<string, (code: number) => SMTPServerOptions> = {
    greeting: (code) => ({ onConnect: (_, done) => done(refusal(code)) }),
    sender: (code) => ({ onMailFrom: (_, __, done) => done(refusal(code)) }),
    recipient: (code) => ({ onRcptTo: (_, __, done) => done(refusal(code)) }),
    content: (code) => ({
      onData: (stream, _, done) => {
        stream.resume().on('end', () => done(refusal(code)))
      },
    }),
  }
  for (const [step, options] of Object.entries(steps))
    for (const [code, permanent] of [
      [421, false],
      [452, false],
      [552, true],
      [554, true],
    ] as const) {
      const { port } = await mailServer(t, options(code))
      const failure = await failureOf(`smtp://127.0.0.1:${port}`)
      t.match(failure, { name: 'MailError', permanent, message: new RegExp(`${code}`) }, `${step}: ${code}`)
    }
})
