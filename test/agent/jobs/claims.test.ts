import t from 'tap'
import { createBackOff } from '../../../agent/base/back-off.ts'
import { type Capacity, keepClaiming, longPollMs, type Offer } from '../../../agent/jobs/claims.ts'
import type { Answer } from '../../../agent/reporting/answer.ts'
import type { ClaimAnswer } from '../../../agent/reporting/control-plane.ts'
import type { ClaimRequest } from '../../../protocol/agent-api.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const identity = { agentId: 'agent-1', version: '1', platform: 'linux-x64', checkTypes: [], runtimeIds: [] }

/** Polls a control plane that never has a job and holds every poll as long as it may; returns the polls it saw. */
const pollsWithin = async (
  ms: number,
  room: Capacity,
  offer = (): Offer => ({}),
): Promise<ClaimRequest[]> => {
  const clock = fakeClock()
  const polls: ClaimRequest[] = []
  const stop = new AbortController()
  const claiming = keepClaiming(
    {
      io: { clock },
      backOff: createBackOff({ clock, random: () => 0.5 }),
      onFailed: () => undefined,
      identity,
      capacity: () => room,
      offer,
      claim: async (request) => {
        polls.push(request)
        await clock.sleep(request.waitMs, stop.signal)
        return { ok: true, value: { serverTime: clock.now(), leaseMs: 15_000, jobs: [] } }
      },
      onClaimed: () => undefined,
      onRecovered: () => undefined,
      onPoll: () => undefined,
    },
    stop.signal,
  )
  for (let elapsed = 0; elapsed < ms; elapsed += 5) {
    clock.advance(5)
    await new Promise((resolve) => setImmediate(resolve))
  }
  stop.abort()
  await claiming
  return polls
}

t.test('an agent with room for both kinds of jobs lets its polls wait', async (t) => {
  const polls = await pollsWithin(2000, { maxUptime: 500, maxMain: 1 })
  t.strictSame(
    polls.map(({ waitMs }) => waitMs),
    [0, longPollMs],
  )
})

t.test(
  'a poll without room for uptime jobs is soon over: it could bring none when there is room',
  async (t) => {
    const polls = await pollsWithin(2000, { maxUptime: 0, maxMain: 1 })
    t.ok(polls.length > 10, `${polls.length} polls in 2 s`)
    t.ok(polls.every(({ waitMs }) => waitMs <= 100))
  },
)

t.test('a poll without room for browser-class jobs waits a second at most', async (t) => {
  const polls = await pollsWithin(4000, { maxUptime: 500, maxMain: 0 })
  t.ok(polls.length >= 4, `${polls.length} polls in 4 s`)
  t.ok(polls.every(({ waitMs }) => waitMs <= 1000))
})

t.test('what becomes known of the agent while it polls is said from then on', async (t) => {
  const known: Offer[] = [{}, { isolation: ['files'] }]
  const polls = await pollsWithin(
    longPollMs + 1000,
    { maxUptime: 1, maxMain: 1 },
    () => known.shift() ?? { isolation: [] },
  )
  t.strictSame(
    polls.map(({ isolation }) => isolation),
    [undefined, ['files'], []],
  )
})

t.test('a poll that succeeds after others have failed is told, once', async (t) => {
  const clock = fakeClock()
  const stop = new AbortController()
  const good: Answer<ClaimAnswer> = { ok: true, value: { serverTime: 0, leaseMs: 15_000, jobs: [] } }
  const bad: Answer<ClaimAnswer> = {
    ok: false,
    reason: 'unreachable',
    status: 0,
    message: '',
    retryAfterMs: 0,
  }
  const answers = [good, good, bad, bad, good, good, bad, good]
  const heard: string[] = []
  const claiming = keepClaiming(
    {
      io: { clock },
      backOff: createBackOff({ clock, random: () => 0.5 }),
      onFailed: () => undefined,
      identity,
      capacity: () => ({ maxUptime: 1, maxMain: 1 }),
      offer: () => ({}),
      claim: async () => {
        const answer = answers.shift()
        if (answer === undefined) stop.abort()
        heard.push(answer?.ok === true ? 'good' : 'bad')
        return answer ?? bad
      },
      onClaimed: () => undefined,
      onRecovered: () => heard.push('recovered'),
      onPoll: () => undefined,
    },
    stop.signal,
  )
  while (!stop.signal.aborted) {
    clock.advance(1000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await claiming
  t.strictSame(heard.join(' '), 'good good bad bad good recovered good bad good recovered bad')
})
