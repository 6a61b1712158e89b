import { SMTPServer } from 'smtp-server'
import type { Test } from 'tap'

/** The port of a mail server that refuses every mail and tells how the client had logged in. */
export const tellingServer = async (t: Test): Promise<number> => {
  let login = ''
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username = '', password = '' }, _, done) => {
      const plain = Buffer.from(`\0${username}\0${password}`).toString('base64')
      login = `AUTH PLAIN ${plain} (${username} ${password})`
      done(null, { user: username })
    },
    onRcptTo: (_, __, done) =>
      done(Object.assign(new Error(`refused after ${login}`), { responseCode: 451 })),
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return (server.server.address() as { port: number }).port
}
