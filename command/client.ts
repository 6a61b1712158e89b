/**
 * The API of any address, with a key. Writes wait for their turn where the limit of requests is reached (`Prefer: wait`),
 * reads come back when they are told to; what can be asked twice is asked again when the server is away for a moment.
 */
import { CommandError, type Io } from './io.ts'

export type Client = {
  url: string
  /** `also`: statuses that are an answer, too. */
  get(path: string, also?: readonly number[]): Promise<Answer>
  /** `again`: asking twice does no harm. */
  post(path: string, body: unknown, how?: { again?: boolean; also?: readonly number[] }): Promise<Answer>
}

// biome-ignore lint/suspicious/noExplicitAny: what a server answers is looked at where it is used
type Answered = any
export type Answer = { status: number; body: Answered; headers: Headers }

const attempts = 5

export const createClient = (io: Io): Client => {
  const { WATCHPOST_URL: address = '', WATCHPOST_API_KEY: key = '', WATCHPOST_ACCOUNT_ID: account } = io.env
  const problems = [
    ...(/^https?:\/\//.test(address)
      ? []
      : ['WATCHPOST_URL must be the address of a control plane (http://… or https://…)']),
    ...(key.trim() === '' ? ['WATCHPOST_API_KEY must be an API key'] : []),
  ]
  if (problems.length > 0) throw new CommandError(problems)
  const url = address.replace(/\/+$/, '')
  const headers = {
    authorization: `Bearer ${key.trim()}`,
    accept: 'application/json',
    // Services with the same API know it by that name, and so do we.
    ...(account ? { 'x-checkly-account': account } : {}),
  }
  return {
    url,
    get: (path, also = []) => ask(io, { url: `${url}${path}`, init: { headers }, again: true, also }),
    post: (path, body, { again = false, also = [] } = {}) =>
      ask(io, {
        url: `${url}${path}`,
        init: {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json', prefer: 'wait=60' },
          body: JSON.stringify(body),
        },
        again,
        also,
      }),
  }
}

type Request = { url: string; init: RequestInit; again: boolean; also: readonly number[] }

/** @throws CommandError unless the answer is a success */
const ask = async (io: Io, request: Request): Promise<Answer> => {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(io, request)
    const isLast = attempt === attempts
    if (answer === null) {
      if (isLast || !request.again) throw new CommandError([`${request.url} cannot be reached`])
      await io.sleep(500 * 2 ** attempt)
    } else if (request.also.includes(answer.status)) return answer
    else if (answer.status === 429 && !isLast) {
      await io.sleep(1000 * Math.min(60, Number(answer.headers.get('retry-after') ?? 1)))
    } else if (answer.status >= 500 && request.again && !isLast) {
      await io.sleep(500 * 2 ** attempt)
    } else if (answer.status >= 400) throw new CommandError(problemsOf(request.url, answer))
    else return answer
  }
}

const send = async (io: Io, { url, init }: Request): Promise<Answer | null> => {
  let response: Response
  try {
    response = await io.fetch(url, init)
  } catch (error) {
    io.progress(`${url} cannot be reached: ${reasonOf(error)}`)
    return null
  }
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: parsed(text) }
}

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return { message: text.slice(0, 200) }
  }
}

export type Violation = { path: string; message: string }

const problemsOf = (url: string, { status, body }: Answer): string[] => {
  const violations: Violation[] = body?.attributes?.violations ?? []
  const where = `${new URL(url).pathname} answered ${status}`
  if (violations.length > 0) return violations.map(({ message }) => `${where}: ${message}`)
  return [`${where}: ${body?.message ?? 'nothing that could be read'}`]
}
