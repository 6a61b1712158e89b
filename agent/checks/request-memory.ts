import { maxRequestLength } from '../../protocol/checks/api.ts'
import type { Release, Semaphore } from '../../protocol/semaphore.ts'
import { fillTags, wordsOf } from '../../protocol/templates/tags.ts'
import { CannotRun } from '../base/cannot-run.ts'
import { DeadlinePassed } from '../base/deadline.ts'
import type { Io } from '../net/io.ts'
import { type ApiJob, variablesOf } from './api-request.ts'

/** Of requests that need less thousands fit into memory. */
const smallBytes = 128 * 1024
/** Together with the scripts before it and the time of the request itself this is within the limit of a run. */
const maxWaitMs = 20_000

/** For requests that are large with their variables. */
export type RequestMemoryIo = Pick<Io, 'clock'> & { requestMemory: Semaphore }

type Context = { io: RequestMemoryIo; signal: AbortSignal }

/** The memory of a request until it is given back. A large one waits for it before there is anything of it. */
export const holdRequestMemory = async (bytes: number, { io, signal }: Context): Promise<Release> => {
  if (bytes <= smallBytes) return () => undefined
  const over = new AbortController()
  const abort = (): void => over.abort()
  const cancel = io.clock.at(maxWaitMs, abort)
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  const release = await io.requestMemory.acquire({ units: bytes, signal: over.signal })
  cancel()
  signal.removeEventListener('abort', abort)
  if (release !== null) return release
  if (signal.aborted && !(signal.reason instanceof DeadlinePassed)) throw signal.reason
  throw new CannotRun(
    `This agent had no memory for a large request within ${maxWaitMs / 1000} seconds: other runs were sending as much`,
  )
}

/** About how much the body of a request takes, which is in memory twice: by itself, and behind its head. */
export const requestBytes = (job: ApiJob): number => {
  const { body, bodyType } = job.spec.request
  return bodyType === 'NONE' ? 0 : 2 * filledLength(body, variablesOf(job))
}

/** What double braces do to a character at most, nearly always. */
const encodedCharacter = 3

/** Nothing is filled in. More than may be sent is not counted: it will be refused. */
const filledLength = (text: string, variables: ReadonlyMap<string, string>): number => {
  let length = text.length
  fillTags(text, ({ content, isRaw }) => {
    if (length >= maxRequestLength.body) return ''
    const { name, args } = wordsOf(content)
    const value = args.length === 0 ? (variables.get(name) ?? '') : ''
    length += value.length * (isRaw ? 1 : encodedCharacter)
    return ''
  })
  return Math.min(length, maxRequestLength.body)
}
