/** An endpoint of a model that does what a test has written down, and keeps what it was asked. */
import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import type { ModelSettings } from '../../agent/agentic/model.ts'
import { httpServer } from './servers.ts'

type Call = [tool: string, input: object | string]

/** Tools that it asks for, its last word, or something that no model does. */
export type ModelTurn = Call[] | string | object | ((response: ServerResponse) => void)

export type ModelQuestion = {
  model: string
  tools: Array<{ function: { name: string } }>
  messages: Array<{ role: string; content: string; tool_call_id?: string }>
  authorization: string | undefined
}

export const modelKey = 'sk-the-key-of-the-model'

/** Its settings, with what a test wants to be different. */
export const modelAt = (origin: string, change: Partial<ModelSettings> = {}): ModelSettings => ({
  baseUrl: `${origin}/v1`,
  apiKey: modelKey,
  model: 'scripted-1',
  timeoutMs: 60_000,
  maxSteps: 40,
  maxTokens: 1_000_000,
  dailyTokens: 100_000_000,
  inputPrice: null,
  outputPrice: null,
  maxCost: null,
  ...change,
})

/** One turn a question; `turnOf` is told how many there were before, and what was asked. */
export const scriptedModel = async (
  t: Test,
  turnOf: (count: number, question: ModelQuestion) => ModelTurn,
) => {
  const questions: ModelQuestion[] = []
  const server = await httpServer(t, async (request, response) => {
    const body = JSON.parse(await text(request)) as ModelQuestion
    const question = { ...body, authorization: request.headers.authorization }
    questions.push(question)
    const turn = turnOf(questions.length - 1, question)
    if (typeof turn === 'function') return turn(response)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(completionOf(turn, questions.length)))
  })
  return { origin: server.origin, questions }
}

/** The turns of a list, one after the other. */
export const inOrder =
  (...turns: ModelTurn[]) =>
  (count: number): ModelTurn =>
    turns[count] ?? 'there are no more turns'

const completionOf = (
  turn: Exclude<ModelTurn, (response: ServerResponse) => void>,
  count: number,
): object => {
  const usage = { prompt_tokens: 100, completion_tokens: 10 }
  const isCalls = Array.isArray(turn)
  const content = isCalls ? null : typeof turn === 'string' ? turn : JSON.stringify(turn)
  const calls = isCalls
    ? turn.map(([name, input], index) => ({
        id: `call-${count}-${index}`,
        type: 'function',
        function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
      }))
    : undefined
  return { choices: [{ message: { role: 'assistant', content, tool_calls: calls } }], usage }
}
