import net from 'node:net'
import type { Test } from 'tap'
import { tcpServer } from './servers.ts'

/**
 * Passes bytes on to a port of this machine until a connection has carried its share towards it, and then cuts it.
 * `shares`: of each connection in turn; those after them are not cut.
 */
export const cuttingProxy = async (t: Test, port: number, shares: number[]) => {
  const cuts = { count: 0 }
  const proxy = await tcpServer(t, (socket) => {
    let left = shares.shift() ?? Number.POSITIVE_INFINITY
    const onward = net.connect(port, '127.0.0.1')
    onward.on('error', () => socket.destroy())
    socket.on('close', () => onward.destroy())
    onward.pipe(socket)
    socket.on('data', (chunk: Buffer) => {
      const part = chunk.subarray(0, left)
      left -= part.length
      const flows = onward.write(part)
      if (left === 0) {
        cuts.count += 1
        onward.end()
        socket.destroy()
      } else if (!flows) {
        socket.pause()
        onward.once('drain', () => socket.resume())
      }
    })
  })
  return { origin: proxy.origin, cuts }
}
