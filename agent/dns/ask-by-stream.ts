import { prepareQuestion, type QueryAttempt, type Reply, tryOnce } from './reply.ts'

/** Asks over TCP, where each message follows its length in two bytes (RFC 7766). */
export const askByStream = (attempt: QueryAttempt): Promise<Reply> =>
  tryOnce(attempt, (finish, ignore) => {
    const { address, port } = attempt.server
    const { bytes, judge } = prepareQuestion(attempt)
    const socket = attempt.io.connect({ host: address, port, noDelay: true })
    const fail = (error: Error): void => finish({ kind: 'error', error })
    const cutOff = (): void => fail(Object.assign(new Error('cut off'), { code: 'ECONNRESET' }))
    const messages = createMessageReader()
    socket.on('error', fail)
    socket.on('end', cutOff)
    socket.on('close', cutOff)
    socket.on('connect', () => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(bytes.length)
      socket.write(Buffer.concat([length, bytes]))
    })
    socket.on('data', (part: Buffer) => {
      for (const message of messages(part)) {
        const reply = judge(message)
        if (reply === 'ignored') ignore()
        else return finish(reply)
      }
    })
    return () => {
      socket.removeAllListeners('data')
      socket.destroy()
    }
  })

/** Cuts a stream into messages; holds at most one that is not complete. */
const createMessageReader = (): ((part: Buffer) => Buffer[]) => {
  let parts: Buffer[] = []
  let length = 0
  return (part) => {
    parts.push(part)
    length += part.length
    const first = parts[0] as Buffer
    if (length < 2 || (first.length >= 2 && length < 2 + first.readUInt16BE(0))) return []
    let rest = Buffer.concat(parts)
    const complete: Buffer[] = []
    while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
      const end = 2 + rest.readUInt16BE(0)
      complete.push(rest.subarray(2, end))
      rest = rest.subarray(end)
    }
    parts = [rest]
    length = rest.length
    return complete
  }
}
