import type { Socket } from 'node:net'
import type { ParseResult } from './socks.ts'

/**
 * Reads one message from the beginning of what a socket has to say; what follows it stays there for whoever reads on. null: it is
 * none, it is longer than `maxBytes`, or the socket ended before.
 */
export const readMessage = <T>(
  socket: Socket,
  parse: (bytes: Buffer) => ParseResult<T>,
  maxBytes: number,
): Promise<T | null> =>
  new Promise((resolve) => {
    let bytes = Buffer.alloc(0)
    const finish = (message: T | null): void => {
      socket.off('readable', take).off('end', cutOff).off('close', cutOff)
      resolve(message)
    }
    const cutOff = (): void => finish(null)
    const take = (): void => {
      const part = socket.read() as Buffer | null
      if (part === null) return
      bytes = Buffer.concat([bytes, part])
      const read = parse(bytes)
      if (read === 'nonsense' || (read === 'more' && bytes.length > maxBytes)) finish(null)
      else if (read !== 'more') {
        if (bytes.length > read.length) socket.unshift(bytes.subarray(read.length))
        finish(read.value)
      }
    }
    socket.on('readable', take)
    socket.once('end', cutOff)
    socket.once('close', cutOff)
    take()
  })
