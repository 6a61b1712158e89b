// Runs in a process of its own: it changes which authorities the process trusts.
/** The object store by the operator's proxy: a real store, a real proxy, and one that is not there, past which NO_PROXY leads. */
import { randomBytes } from 'node:crypto'
import net from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import tls, { getCACertificates, setDefaultCACertificates } from 'node:tls'
import t, { type Test } from 'tap'
import { pieceBytes } from '../../../../../control-plane/platform/store/artifact-store/bucket-store.ts'
import { testApp } from '../../../../support/app.ts'
import { createAuthority } from '../../../../support/certificates.ts'
import { objectStoreProblem, secretKey, startObjectStore } from '../../../../support/object-store.ts'
import { missing, proxyPassword, tinyproxy } from '../../../../support/proxies.ts'
import { closedPort, listening } from '../../../../support/servers.ts'
import { until } from '../../../../support/until.ts'

const authority = createAuthority()
const credentials = authority.issue({ altName: 'IP:127.0.0.1' })
setDefaultCACertificates([...getCACertificates('default'), authority.pem])

const skip = objectStoreProblem() ?? missing('tinyproxy')
const key = 'ab'.repeat(32)

/** A store, and its TLS where it has to have one: it sees the same host that was signed. */
const open = async (t: Test, scheme: 'http' | 'https') => {
  const { env, objects } = await startObjectStore(t)
  const { port, hostname } = new URL(env['AWS_ENDPOINT_URL'] ?? '')
  const create = (onSocket: (socket: net.Socket) => void) =>
    scheme === 'https' ? tls.createServer(credentials, onSocket) : net.createServer(onSocket)
  const front = await listening(
    t,
    create((socket) => {
      const onward = net.connect(Number(port), hostname)
      onward.on('error', () => socket.destroy())
      socket.on('error', () => onward.destroy()).on('close', () => onward.destroy())
      socket.pipe(onward).pipe(socket)
    }),
    scheme,
  )
  const plane = (variables: Record<string, string>) =>
    testApp(t, { env: { ...env, AWS_ENDPOINT_URL: front.origin, ...variables } })
  return { front, objects, plane }
}

for (const [scheme, variable, otherVariable] of [
  ['http', 'HTTP_PROXY', 'HTTPS_PROXY'],
  ['https', 'HTTPS_PROXY', 'HTTP_PROXY'],
] as const)
  t.test(`an object store at ${scheme} is reached as ${variable} and NO_PROXY say`, { skip }, async (t) => {
    const { front, objects, plane } = await open(t, scheme)
    const proxy = await tinyproxy(t)
    const nobody = `http://watcher:${proxyPassword}@127.0.0.1:${await closedPort()}`
    const bytes = randomBytes(pieceBytes + 300_000)
    const write = async (variables: Record<string, string>) => {
      const { app, logged } = await plane(variables)
      const written = app.artifacts.store.write(key, 0, Readable.from([bytes]))
      const error = await written.then(
        () => null,
        (error: Error) => error,
      )
      const told = `${error?.stack ?? ''}${JSON.stringify(logged)}`
      for (const secret of [proxyPassword, secretKey]) t.notMatch(told, secret, 'it is told to nobody')
      return { store: app.artifacts.store, error }
    }

    const { store, error } = await write({ [variable]: proxy.url })
    t.equal(error, null)
    const tunnels = (): number => proxy.output().split('Established connection to host').length - 1
    await until('all of it was by the proxy, large objects, too', () => front.connections() === tunnels())
    const read = await store.read(key, { start: 0, end: bytes.length })
    t.ok(read !== null && (await buffer(read)).equals(bytes), 'what was written is read')
    t.strictSame(
      objects().map(({ size }) => size),
      [pieceBytes, bytes.length - pieceBytes],
    )
    await store.remove(key)
    t.strictSame(objects(), [])
    const asked = {
      http: `PUT ${front.origin}/artifacts/some/prefix/`,
      https: `CONNECT 127.0.0.1:${front.port}`,
    }
    t.match(proxy.output(), asked[scheme])

    const before = front.connections()
    t.match((await write({ [variable]: nobody })).error, { name: 'ArtifactError', kind: 'away' })
    const elsewhere = { [variable]: nobody, NO_PROXY: `127.0.0.1:${proxy.port},example.com` }
    t.match((await write(elsewhere)).error, { name: 'ArtifactError', kind: 'away' }, 'of another port')
    const wrong = proxy.url.replace(proxyPassword, 'wrongPassword')
    t.match((await write({ [variable]: wrong })).error, { name: 'ArtifactError' }, 'the proxy refuses')
    t.equal(front.connections(), before, 'nobody goes past a proxy that is away or refuses')

    for (const past of [`127.0.0.1:${front.port}`, '127.0.0.0/8', '*']) {
      const { store, error } = await write({ [variable]: nobody, NO_PROXY: past })
      t.equal(error, null, `NO_PROXY=${past}`)
      await store.remove(key)
    }
    const other = await write({ [otherVariable]: nobody })
    t.equal(other.error, null, `${otherVariable} is of the other scheme`)
  })
