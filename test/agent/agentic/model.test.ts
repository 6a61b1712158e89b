/** The endpoint of a model, and what a run may use of it; no browser. */
import t, { type Test } from 'tap'
import { createBudget } from '../../../agent/agentic/budget.ts'
import { createModel, type ModelSettings } from '../../../agent/agentic/model.ts'
import { createDispatcher } from '../../../agent/program/dispatcher.ts'
import { realClock } from '../../../agent/program/real-io.ts'
import type { TimerClock } from '../../../protocol/clock.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { heldTimer } from '../../support/held-timer.ts'
import { inOrder, type ModelTurn, modelAt, scriptedModel } from '../../support/scripted-model.ts'

const noProxies = { http: null, https: null, none: null }
const never = new AbortController().signal
const question = {
  messages: [{ role: 'user' as const, content: 'x'.repeat(400) }],
  tools: [],
  maxTokens: 100,
}

const status =
  (code: number, text = ''): ModelTurn =>
  (response) =>
    response.writeHead(code).end(text)

const modelFor = async (
  t: Test,
  turns: ModelTurn[],
  { clock = realClock(), ...settings }: Partial<ModelSettings> & { clock?: TimerClock } = {},
) => {
  const { origin, questions } = await scriptedModel(t, inOrder(...turns))
  const full = modelAt(origin, settings)
  const dispatcher = createDispatcher({ controlPlaneUrl: full.baseUrl, proxy: noProxies, extraCaCerts: null })
  const model = createModel(full, { dispatcher, clock })
  t.teardown(model.close)
  return { model, questions }
}

t.test('an endpoint that is busy is asked once more', async (t) => {
  const { model, questions } = await modelFor(t, [status(429), 'here'])
  t.match(await model.ask(question, never), {
    content: 'here',
    toolCalls: [],
    inputTokens: 100,
    outputTokens: 10,
  })
  t.equal(questions.length, 2)
  const broken = await modelFor(t, [status(500), status(503, 'overloaded'), 'too late'])
  await t.rejects(broken.model.ask(question, never), {
    name: 'CannotRun',
    message: /status 503: "overloaded"/,
  })
})

t.test('the limit of an answer is sent under the name that the endpoint knows', async (t) => {
  const other = status(400, 'Unsupported parameter: use max_completion_tokens instead')
  const { model, questions } = await modelFor(t, [other, 'a', 'b'])
  await model.ask(question, never)
  await model.ask(question, never)
  t.strictSame(
    questions.map((one) => Object.keys(one).filter((name) => name.startsWith('max_'))),
    [['max_tokens'], ['max_completion_tokens'], ['max_completion_tokens']],
  )
})

t.test('redirects are not followed, and nobody else gets the key', async (t) => {
  const { model, questions } = await modelFor(t, [
    (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  ])
  await t.rejects(model.ask(question, never), { message: /status 307/ })
  t.equal(questions.length, 1)
})

t.test('an endpoint that does not count is counted for', async (t) => {
  const { model } = await modelFor(t, [
    (response) => response.end(JSON.stringify({ choices: [{ message: { content: 'four' } }] })),
  ])
  const answer = await model.ask(question, never)
  t.equal(answer.inputTokens, 100)
  t.ok(answer.outputTokens > 0)
})

t.test('an answer that is none, has no end, or takes too long says what it is', async (t) => {
  const neverEnds: ModelTurn = (response) => {
    const more = (): void => {
      while (response.writable && response.write('{"choices": ['.repeat(1000)));
    }
    response.on('drain', more)
    more()
  }
  const patience = heldTimer(1500)
  const trickles: ModelTurn = (response) => {
    response.write('{')
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
    patience.pass()
  }
  const nonsense: ModelTurn = (response) => response.end('<html>Bad gateway</html>')
  const cases: Array<[ModelTurn, RegExp]> = [
    [trickles, /^The model had no answer within 1\.5 seconds$/],
    [neverEnds, /^The model's answer is longer than 1 MB$/],
    [nonsense, /^The model's endpoint answered with something else than a chat completion: .*Bad gateway/],
  ]
  for (const [turn, message] of cases) {
    const { model } = await modelFor(t, [turn, turn], { timeoutMs: 1500, clock: patience.clock })
    await t.rejects(model.ask(question, never), { name: 'CannotRun', message })
  }
})

t.test('a run that is cancelled does not wait', async (t) => {
  const { model } = await modelFor(t, [() => undefined])
  const controller = new AbortController()
  const asked = model.ask(question, controller.signal)
  controller.abort(new Error('cancelled'))
  await t.rejects(asked, { message: 'cancelled' })
})

t.test('tokens and cost of a run, and the tokens of a day, come to an end', async (t) => {
  const { origin } = await scriptedModel(t, () => 'more')
  const clock = fakeClock(Date.UTC(2026, 0, 1, 23))
  const settings = modelAt(origin, {
    maxTokens: 1000,
    dailyTokens: 2000,
    inputPrice: 2,
    outputPrice: 10,
    maxCost: 0.5,
  })
  const dispatcher = createDispatcher({
    controlPlaneUrl: settings.baseUrl,
    proxy: noProxies,
    extraCaCerts: null,
  })
  const model = createModel(settings, { dispatcher, clock })
  t.teardown(model.close)

  const budget = createBudget(model)
  t.equal(budget.refusal(400), null)
  t.equal(budget.maxAnswerTokens(400), 900)
  budget.spend({ inputTokens: 800, outputTokens: 90 })
  t.match(budget.refusal(400), /the 1000 tokens that a run may use/)
  t.strictSame(budget.usage(), { toolCalls: 0, inputTokens: 800, outputTokens: 90, cost: 0.0025 })

  const rich = { settings: { ...settings, maxTokens: 10_000_000 }, leftToday: model.leftToday }
  const costly = createBudget(rich)
  costly.spend({ inputTokens: 240_000, outputTokens: 0 })
  t.equal(costly.refusal(4), null)
  t.equal(costly.maxAnswerTokens(4), 1999, 'what is left of the cost bounds an answer')
  costly.spend({ inputTokens: 10_000, outputTokens: 0 })
  t.match(costly.refusal(4), /has cost the 0\.5 that a run may cost/)

  const another = createBudget(rich)
  for (let count = 0; count < 18; count += 1) await model.ask(question, never)
  t.equal(another.refusal(4), null)
  await model.ask(question, never)
  t.match(another.refusal(4), /the 2000 tokens of its runs of a day/)
  clock.advance(2 * 60 * 60_000)
  t.equal(another.refusal(4), null, 'another day')
})
