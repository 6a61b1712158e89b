/**
 * The model of this agent, behind an OpenAI-compatible endpoint: `POST {base}/chat/completions`. The endpoint is the operator's own
 * choice, so it may be anywhere, also where checks may not connect; redirects are not followed, so its key goes nowhere else.
 *
 * Invariants: a question ends in time whatever the endpoint does, and no more of its answer is read than `maxAnswerBytes`. That it has
 * no usable answer is CannotRun: no target has failed.
 */
import { type Static, Type } from 'typebox'
import type { Dispatcher } from 'undici'
import type { TimerClock } from '../../protocol/clock.ts'
import { compile } from '../../protocol/validate.ts'
import { CannotRun } from '../base/cannot-run.ts'

/** `maxTokens` of one run, `dailyTokens` of all runs of a day; prices are of a million tokens. */
export type ModelSettings = {
  baseUrl: string
  apiKey: string
  model: string
  timeoutMs: number
  maxSteps: number
  maxTokens: number
  dailyTokens: number
  inputPrice: number | null
  outputPrice: number | null
  maxCost: number | null
}

export type ToolCall = { id: string; name: string; arguments: string }

export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls: readonly ToolCall[] }
  | { role: 'tool'; toolCallId: string; content: string }

export type Tool = { name: string; description: string; parameters: object }

type Question = { messages: readonly ChatMessage[]; tools: readonly Tool[]; maxTokens: number }

export type ModelAnswer = {
  content: string
  toolCalls: ToolCall[]
  inputTokens: number
  outputTokens: number
}

export type Model = {
  settings: ModelSettings
  /** Tokens that all runs of this day may still use. */
  leftToday(): number
  /** Rejects with CannotRun, and with the signal's reason when nobody waits any more. */
  ask(question: Question, signal: AbortSignal): Promise<ModelAnswer>
  close(): Promise<void>
}

const maxAnswerBytes = 1024 * 1024
const retryAfterMs = 1000
const dayMs = 24 * 60 * 60_000
/** Where an endpoint does not count: a token is seldom less. */
export const charactersPerToken = 4

const Completion = Type.Object({
  choices: Type.Array(
    Type.Object({
      message: Type.Object({
        content: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        tool_calls: Type.Optional(
          Type.Union([
            Type.Array(
              Type.Object({
                id: Type.String({ minLength: 1, maxLength: 200 }),
                function: Type.Object({
                  name: Type.String({ maxLength: 200 }),
                  arguments: Type.String({ maxLength: 20_000 }),
                }),
              }),
              { maxItems: 20 },
            ),
            Type.Null(),
          ]),
        ),
      }),
    }),
    { minItems: 1 },
  ),
  usage: Type.Optional(
    Type.Union([
      Type.Object({
        prompt_tokens: Type.Integer({ minimum: 0 }),
        completion_tokens: Type.Integer({ minimum: 0 }),
      }),
      Type.Null(),
    ]),
  ),
})

const validate = compile(Completion)

type Tools = { dispatcher: Dispatcher; clock: Pick<TimerClock, 'now' | 'at' | 'sleep'> }

export const createModel = (settings: ModelSettings, { dispatcher, clock }: Tools): Model => {
  let day = 0
  let usedToday = 0
  // Newer models of some providers refuse the older name.
  let limitName = 'max_tokens'
  const leftToday = (): number => {
    const today = Math.floor(clock.now() / dayMs)
    if (today !== day) usedToday = 0
    day = today
    return settings.dailyTokens - usedToday
  }
  const send = (question: Question, signal: AbortSignal) =>
    post(JSON.stringify(bodyOf(question, settings.model, limitName)), { settings, dispatcher, clock, signal })
  return {
    settings,
    leftToday,
    ask: async (question, signal) => {
      let reply = await send(question, signal)
      if (
        reply.status === 400 &&
        limitName === 'max_tokens' &&
        reply.text.includes('max_completion_tokens')
      ) {
        limitName = 'max_completion_tokens'
        reply = await send(question, signal)
      }
      if (reply.status === 429 || reply.status >= 500) {
        await clock.sleep(retryAfterMs, signal)
        reply = await send(question, signal)
      }
      const answer = answerIn(reply, question)
      leftToday()
      usedToday += answer.inputTokens + answer.outputTokens
      return answer
    },
    close: () => dispatcher.close(),
  }
}

const bodyOf = ({ messages, tools, maxTokens }: Question, model: string, limitName: string): object => ({
  model,
  stream: false,
  [limitName]: maxTokens,
  tools: tools.map((tool) => ({ type: 'function', function: tool })),
  messages: messages.map((message) => {
    if (message.role === 'tool')
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content }
    if (message.role !== 'assistant' || message.toolCalls.length === 0)
      return { role: message.role, content: message.content }
    const calls = message.toolCalls.map(({ id, ...call }) => ({ id, type: 'function', function: call }))
    return { role: 'assistant', content: message.content, tool_calls: calls }
  }),
})

type Reply = { status: number; text: string }
type Posting = Tools & { settings: ModelSettings; signal: AbortSignal }

const post = async (body: string, { settings, dispatcher, clock, signal }: Posting): Promise<Reply> => {
  const { baseUrl, apiKey, timeoutMs } = settings
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/chat/completions`)
  const late = new AbortController()
  const tooLate = new CannotRun(`The model had no answer within ${timeoutMs / 1000} seconds`)
  const cancel = clock.at(timeoutMs, () => late.abort(tooLate))
  try {
    const response = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body,
      signal: AbortSignal.any([signal, late.signal]),
    })
    return { status: response.statusCode, text: await textOf(response.body) }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (late.signal.aborted) throw tooLate
    if (error instanceof CannotRun) throw error
    const { message, code } = error as NodeJS.ErrnoException
    throw new CannotRun(`The model could not be asked: ${message || code}`)
  } finally {
    cancel()
  }
}

const textOf = async (body: Dispatcher.ResponseData['body']): Promise<string> => {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length
    // Leaving the loop ends the connection.
    if (bytes > maxAnswerBytes)
      throw new CannotRun(`The model's answer is longer than ${maxAnswerBytes / 1024 / 1024} MB`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

const answerIn = ({ status, text }: Reply, { messages }: Question): ModelAnswer => {
  if (status !== 200)
    throw new CannotRun(`The model's endpoint answered with status ${status}: ${said(text)}`)
  const checked = validate(json(text))
  if (!checked.ok)
    throw new CannotRun(
      `The model's endpoint answered with something else than a chat completion: ${said(text)}`,
    )
  const { choices, usage } = checked.value
  const { content, tool_calls: calls } = (choices[0] as Static<typeof Completion>['choices'][number]).message
  return {
    content: content ?? '',
    toolCalls: (calls ?? []).map(({ id, function: call }) => ({
      id,
      name: call.name,
      arguments: call.arguments,
    })),
    inputTokens: usage?.prompt_tokens ?? tokensOf(messages.map((message) => message.content).join('')),
    outputTokens: usage?.completion_tokens ?? tokensOf(text),
  }
}

const tokensOf = (text: string): number => Math.ceil(text.length / charactersPerToken)

const said = (text: string): string => JSON.stringify(text.slice(0, 200))

const json = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // The validator says that it is none.
    return undefined
  }
}
