import type { Socket } from 'node:net'

/**
 * What a connection brings, read into one buffer that all connections share: reads come one after the other, and a buffer
 * for each of them (64 KB, whatever it holds) is what collecting garbage costs most.
 */
export type SharedReadBuffer = {
  /** For the options of the connection. */
  onread: { buffer: Buffer; callback(length: number, buffer: Uint8Array): boolean }
  /** Hands on what comes, from the first byte. The bytes are valid during the call only. */
  to(socket: Socket, take: (bytes: Buffer) => void): void
}

/** For one connection. `shared` is the buffer of all. */
export const createSharedReadBuffer = (shared: Buffer): SharedReadBuffer => {
  let take: ((bytes: Buffer) => void) | null = null
  let early: Buffer | null = null
  return {
    onread: {
      buffer: shared,
      callback: (length) => {
        const bytes = shared.subarray(0, length)
        if (take !== null) take(bytes)
        // A server may speak before it is asked: the rest waits in the kernel.
        else early = Buffer.concat(early === null ? [bytes] : [early, bytes])
        return take !== null
      },
    },
    to: (socket, taker) => {
      take = taker
      if (early !== null) taker(early)
      early = null
      socket.resume()
    },
  }
}
