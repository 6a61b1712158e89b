import { askByDatagram } from '../dns/ask-by-datagram.ts'
import { parseNameServer } from '../dns/name-servers.ts'
import type { Question } from '../dns/question.ts'
import type { NameServer } from '../dns/reply.ts'
import type { Io } from '../net/io.ts'
import type { NameServers } from './evidence.ts'

const answerWithinMs = 1000

/** What servers say that cannot answer; a forwarder whose own way out is gone does as well. */
const unable: ReadonlySet<string> = new Set(['SERVFAIL', 'REFUSED', 'NOTIMP', 'FORMERR', 'NOTAUTH'])

const root: Question = { name: '', type: 'NS' }

/** `unable`: it is there, and that is all. */
type Said = 'nothing' | 'unable' | 'answer'

/**
 * Asks all name servers of this machine for those of the root, and for names that runs have looked up lately: servers of closed
 * networks may be slow to say that they know no root, or never say it. Whatever comes back, they are there.
 */
export const nameServersQuestion = (io: Io, recentNames: () => readonly string[]) => {
  let hasAnswered = false
  let knewRoot = false
  return async (): Promise<NameServers> => {
    const servers = io.nameServers().map(parseNameServer)
    if (servers.length === 0) return 'unknown'
    const known = recentNames().map((name): Question => ({ name, type: 'A' }))
    const { isThere, knowsRoot } = await askAll([root, ...known], servers, io)
    if (!isThere) return hasAnswered ? 'silent' : 'never'
    hasAnswered = true
    knewRoot ||= knowsRoot
    return knewRoot && !knowsRoot ? 'cut-off' : 'answers'
  }
}

/** Until one server knows the root, or all questions are settled. */
const askAll = async (questions: Question[], servers: NameServer[], io: Io) => {
  const done = new AbortController()
  const heard = { isThere: false, knowsRoot: false }
  const asked = servers.flatMap((server) =>
    questions.map(async (question) => {
      const said = await askOne(question, server, { io, signal: done.signal })
      heard.isThere ||= said !== 'nothing'
      if (question !== root || said !== 'answer') return
      heard.knowsRoot = true
      done.abort()
    }),
  )
  await Promise.all(asked)
  return heard
}

type Asking = { io: Io; signal: AbortSignal }

const askOne = async (question: Question, server: NameServer, { io, signal }: Asking): Promise<Said> => {
  const attempt = { question, extended: false, server, timeoutMs: answerWithinMs, io, signal }
  const reply = await askByDatagram(attempt)
  if (reply.kind === 'malformed') return 'unable'
  if (reply.kind !== 'answer') return 'nothing'
  return unable.has(reply.message.code) ? 'unable' : 'answer'
}
