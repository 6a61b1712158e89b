import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { createSharedReadBuffer } from '../../../../agent/net/connect/shared-read-buffer.ts'
import { tcpServer } from '../../../support/servers.ts'

const shared = Buffer.allocUnsafeSlow(1024)

const open = async (t: Test, port: number) => {
  const readBuffer = createSharedReadBuffer(shared)
  const socket = connect({ host: '127.0.0.1', port, onread: readBuffer.onread })
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  return { readBuffer, socket }
}

/** What came until the connection ended, copied as it came. */
const readAll = async ({ readBuffer, socket }: Awaited<ReturnType<typeof open>>): Promise<string> => {
  const parts: string[] = []
  readBuffer.to(socket, (bytes) => parts.push(bytes.toString()))
  await once(socket, 'end')
  return parts.join('')
}

t.test('connections that share the buffer do not see each other’s bytes', async (t) => {
  const sentences = ['a'.repeat(50_000), 'b'.repeat(50_000), 'c'.repeat(50_000)]
  const sockets: Socket[] = []
  const { port } = await tcpServer(t, (socket) => {
    const sentence = sentences[sockets.push(socket) - 1] as string
    const write = (at: number): void => {
      if (at >= sentence.length) socket.end()
      else socket.write(sentence.slice(at, at + 700), () => setImmediate(write, at + 700))
    }
    write(0)
  })
  const opened = [await open(t, port), await open(t, port), await open(t, port)]
  t.same(await Promise.all(opened.map(readAll)), sentences)
})

t.test('a server that speaks before anybody listens loses nothing', async (t) => {
  const { port } = await tcpServer(t, (socket) => socket.end('x'.repeat(5000)))
  const opened = await open(t, port)
  // The shared buffer is somebody else's in the meantime.
  const other = await open(t, (await tcpServer(t, (socket) => socket.end('y'.repeat(1024)))).port)
  t.equal(await readAll(other), 'y'.repeat(1024))
  t.equal(await readAll(opened), 'x'.repeat(5000))
})
