/** Sessions until they have ended: each is told as soon as it is over, and what is not over in time is cancelled. */
import { createSemaphore, withPermit } from '../../protocol/semaphore.ts'
import type { Client } from '../client.ts'
import type { Io } from '../io.ts'
import type { Json } from '../kinds.ts'

export type Session = {
  checkSessionId: string
  checkSessionLink: string
  checkId: string
  checkType: string
  name: string
  status: string
  timeElapsed: number
  results: Result[]
}

type Result = {
  checkResultId: string
  /** For people: it needs no key. */
  checkResultLink: string
  runLocation: string
  resultType: string | null
  hasErrors: boolean
  hasFailures: boolean
}

export type Ended = Session & {
  isPassed: boolean
  /** To what went wrong first. */
  link: string
  /** Of the runs that failed, each in a sentence. */
  reasons: string[]
}

/** So many ask at a time; what they ask for is told to them as soon as it is there. */
const atOnce = 10
const waitSeconds = 20

type Watched = { sessions: readonly Session[]; timeoutMs: number; told: (ended: Ended) => void }

export const watchSessions = async (
  io: Io,
  client: Client,
  { sessions, timeoutMs, told }: Watched,
): Promise<Ended[]> => {
  const until = io.now() + timeoutMs
  const room = createSemaphore({ total: atOnce })
  const all = sessions.map((session) =>
    withPermit(room, async () => {
      const ended = await endOf(client, session, () => until - io.now())
      told(ended)
      return ended
    }),
  )
  return Promise.all(all)
}

const endOf = async (client: Client, session: Session, leftMs: () => number): Promise<Ended> => {
  const path = `/v2/check-sessions/${session.checkSessionId}`
  for (;;) {
    const seconds = Math.max(1, Math.min(waitSeconds, Math.ceil(leftMs() / 1000)))
    const { status, body } = await client.get(`${path}/completion?maxWaitSeconds=${seconds}`, [408])
    if (status !== 408) return judged(client, body as Session)
    if (leftMs() > 0) continue
    await client.post(`${path}/cancel`, {}, { again: true })
    const { body: cancelled } = await client.get(path)
    return {
      ...(cancelled as Session),
      link: linkOf(session),
      isPassed: false,
      reasons: ['It had not ended in time'],
    }
  }
}

const passing = ['PASSED', 'DEGRADED']

const judged = async (client: Client, session: Session): Promise<Ended> => {
  if (passing.includes(session.status))
    return { ...session, link: linkOf(session), isPassed: true, reasons: [] }
  const failed = session.results.filter(
    ({ resultType, hasErrors, hasFailures }) => resultType !== 'ATTEMPT' && (hasErrors || hasFailures),
  )
  const reasons = await Promise.all(failed.map((result) => reasonOf(client, session, result)))
  return {
    ...session,
    link: failed[0]?.checkResultLink ?? linkOf(session),
    isPassed: false,
    reasons: reasons.length > 0 ? reasons : [withoutResult(session.status)],
  }
}

const linkOf = ({ results, checkSessionLink }: Session): string =>
  results[0]?.checkResultLink ?? checkSessionLink

const withoutResult = (status: string): string =>
  status === 'TIMED_OUT' ? 'No agent ran it in time' : `It ended as ${status}`

const reasonOf = async (
  client: Client,
  { checkId }: Session,
  { checkResultId, runLocation, hasErrors }: Result,
): Promise<string> => {
  const { status, body } = await client.get(`/v1/check-results/${checkId}/${checkResultId}`, [404])
  const error = status === 404 ? null : firstError(body as Json)
  return `${runLocation}: ${error ?? (hasErrors ? 'it could not be run' : 'it failed')}`
}

/** Of scripts the errors are in their own part. */
const firstError = (result: Json): string | null => {
  if (typeof result['error'] === 'string') return result['error']
  const parts = ['browserCheckResult', 'multiStepCheckResult', 'playwrightCheckResult', 'apiCheckResult']
  for (const part of parts) {
    const [first] = (result[part] as { errors?: unknown[] } | null | undefined)?.errors ?? []
    const text = typeof first === 'string' ? first : (first as { message?: unknown } | undefined)?.message
    if (typeof text === 'string') return text
  }
  return null
}
