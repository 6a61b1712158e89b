import type { Io } from '../net/io.ts'
import { type DnsMessage, decodeMessage } from './message.ts'
import { type Question, questionMessage } from './question.ts'

/** Where to ask. `name` is what the check calls it; `address` is where it was found. */
export type NameServer = { name: string; address: string; port: number }

/** One try to get an answer. It ends by the signal at the latest, or after `timeoutMs`. */
export type QueryAttempt = {
  question: Question
  /** Whether the question says that more than 512 bytes may come back (EDNS, RFC 6891). */
  extended: boolean
  server: NameServer
  timeoutMs: number
  io: Io
  signal: AbortSignal
}

/** How a try ended. `ignored`: messages that were no answer to this question. */
export type Reply =
  | { kind: 'answer'; message: DnsMessage }
  | { kind: 'error'; error: Error }
  | { kind: 'malformed' }
  | { kind: 'silence'; ignored: number }
  | { kind: 'aborted' }

/** The question with an id of its own, and a judge of what comes back. */
export const prepareQuestion = ({ question, extended, io }: QueryAttempt) => {
  const id = io.unguessable(65_536)
  return {
    bytes: questionMessage(question, id, extended),
    judge: (bytes: Buffer): Reply | 'ignored' => judge(bytes, question, id),
  }
}

/** Only a response with the id and the question that were sent counts: anything else is late, or a lie (RFC 5452). */
const judge = (bytes: Buffer, question: Question, id: number): Reply | 'ignored' => {
  if (bytes.length < 12 || bytes.readUInt16BE(0) !== id || bytes.readUInt8(2) < 128) return 'ignored'
  const message = decoded(bytes)
  if (message === null) return { kind: 'malformed' }
  return answers(message, question) ? { kind: 'answer', message } : 'ignored'
}

const decoded = (bytes: Buffer): DnsMessage | null => {
  try {
    return decodeMessage(bytes)
  } catch {
    // Whatever is wrong inside: these bytes are not what a name server says.
    return null
  }
}

/** Servers that cannot answer may leave the question out. */
const answers = ({ questions, code }: DnsMessage, { name, type }: Question): boolean => {
  const [asked] = questions
  if (asked === undefined) return code !== 'NOERROR'
  return asked.name.toLowerCase() === `${name.toLowerCase()}.` && asked.type === type && asked.class === 'IN'
}

/** Runs a try: `start` gets a way to end it once, and returns how to put its socket away. */
export const tryOnce = (
  { timeoutMs, io, signal }: QueryAttempt,
  start: (finish: (reply: Reply | 'silence') => void, ignore: () => void) => () => void,
): Promise<Reply> =>
  new Promise((resolve) => {
    let ignored = 0
    let over = false
    const finish = (reply: Reply | 'silence'): void => {
      if (over) return
      over = true
      cancel()
      signal.removeEventListener('abort', abort)
      putAway()
      resolve(reply === 'silence' ? { kind: 'silence', ignored } : reply)
    }
    const abort = (): void => finish({ kind: 'aborted' })
    const cancel = io.clock.at(timeoutMs, () => finish('silence'))
    signal.addEventListener('abort', abort)
    const putAway = start(finish, () => {
      ignored += 1
    })
    if (signal.aborted) abort()
  })
