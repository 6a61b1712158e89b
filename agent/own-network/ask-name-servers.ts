import { askByDatagram } from '../dns/ask-by-datagram.ts'
import { parseNameServer } from '../dns/name-servers.ts'
import type { Io } from '../net/io.ts'
import type { NameServers } from './evidence.ts'

const answerWithinMs = 1000

/** A forwarder whose own way out is gone says so. */
const noAnswer: ReadonlySet<string> = new Set(['SERVFAIL'])

/** Asks all name servers of this machine for those of the root, which every one knows or can find out; one answer will do. */
export const nameServersQuestion = (io: Io) => {
  let hasAnswered = false
  return async (): Promise<NameServers> => {
    const servers = io.nameServers().map(parseNameServer)
    if (servers.length === 0) return 'unknown'
    const done = new AbortController()
    const question = { name: '', type: 'NS' } as const
    const asked = servers.map(async (server) => {
      const attempt = {
        question,
        extended: false,
        server,
        timeoutMs: answerWithinMs,
        io,
        signal: done.signal,
      }
      const reply = await askByDatagram(attempt)
      if (reply.kind !== 'answer' || noAnswer.has(reply.message.code)) throw new Error('no answer')
    })
    const isAnswered = await Promise.any(asked).then(
      () => true,
      () => false,
    )
    done.abort()
    if (!isAnswered) return hasAnswered ? 'silent' : 'never'
    hasAnswered = true
    return 'answers'
  }
}
