/** A real SMTP server on a free port that keeps what it is given, parsed as a mail program would. */
import type { Socket } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import type { Test } from 'tap'
import { createMail } from '../../control-plane/platform/services/mail/mail.ts'
import type { TestApp } from './app.ts'

export type Mailbox = {
  /** What `SMTP_URL` is set to. */
  url: string
  /** In the order they came in. */
  mails: Email[]
  /** From now on every mail is refused with this code; null takes them again. */
  refuse(code: number | null): void
  /** From now on the login is refused with this code; null takes it again. */
  refuseLogin(code: number | null): void
}

/** `login`: `name:password`, without which nobody gets in; empty: none is asked for. */
export const mailbox = async (t: Test, { login = '' } = {}): Promise<Mailbox> => {
  const mails: Email[] = []
  let refusal: number | null = null
  let loginRefusal: number | null = null
  const refused = (responseCode: number) => Object.assign(new Error('not today'), { responseCode })
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS', ...(login === '' ? ['AUTH'] : [])],
    // Asks the name server who the loopback is, and waits for the answer.
    disableReverseLookup: true,
    onAuth: ({ username, password }, _, done) => {
      if (loginRefusal !== null || `${username}:${password}` !== login)
        return done(refused(loginRefusal ?? 535))
      done(null, { user: username ?? '' })
    },
    onData: (stream, _session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        if (refusal !== null) return done(refused(refusal))
        mails.push(await PostalMime.parse(Buffer.concat(chunks)))
        done()
      })
    },
  })
  greetAtOnce(server)
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise<void>((resolve) => server.close(resolve)))
  const { port } = server.server.address() as { port: number }
  return {
    url: login === '' ? `smtp://127.0.0.1:${port}` : `smtp://${login}@127.0.0.1:${port}?tls=optional`,
    mails,
    refuse: (code) => {
      refusal = code
    },
    refuseLogin: (code) => {
      loginRefusal = code
    },
  }
}

type Greeter = {
  connect(socket: Socket, options: object): void
  connections: Set<{ connectionReady(): void }>
}

/** The library lets everybody wait for 100 ms, to catch who speaks before being greeted: nothing that we would measure. */
const greetAtOnce = (server: SMTPServer): void => {
  const greeter = server as unknown as Greeter
  const connect = greeter.connect.bind(server)
  greeter.connect = (socket, options) => {
    connect(socket, options)
    const connection = [...greeter.connections].at(-1)
    connection?.connectionReady()
    Object.assign(connection ?? {}, { connectionReady: () => undefined })
  }
}

/** The app sends its mails to this mailbox. */
export const withMailbox = async (t: Test, plane: TestApp): Promise<Mailbox> => {
  const box = await mailbox(t)
  plane.app.mail = createMail({ settings: { smtpUrl: box.url, from: 'Watchpost <watchpost@example.com>' } })
  return box
}

/** The value of a header, by its name in lower case. */
export const headerOf = (mail: Email | undefined, name: string): string | undefined =>
  mail?.headers.find(({ key }) => key === name)?.value
