/**
 * Control planes and agents, all but their processes, on one clock that the test moves: a day of an outage passes in seconds. Agents reach a
 * control plane by a way that the test cuts.
 */
import { setTimeout as realTime } from 'node:timers/promises'
import type { Test } from 'tap'
import { loops } from '../../control-plane/loops.ts'
import { createSteadyClock } from '../../control-plane/platform/services/clock/steady-clock.ts'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { type TestApp, testApp } from './app.ts'
import { fakeClock } from './fake-clock.ts'
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.ts'
import { type TestAgent, testAgent } from './test-agent.ts'

/** Turns for which something that waits for time is waited for. */
const patience = 100

/** Seconds by the clock; the usual waits are over within thirty. */
const longestWait = 600

/** What control planes do about runs, in this order. */
const work = [
  'alive',
  'forgive',
  'schedule',
  'sweep',
  'awaited-runs',
  'alerts',
  'presence',
  'result-periods',
  'removed-results',
]

export const movedWorld = async (t: Test, { db, planes: count }: { db: Database; planes: number }) => {
  const moved = fakeClock()
  const clock = { ...moved, now: () => Math.floor(moved.now()) }
  const env = { STANDING_ORDERS_SECOND_OWNER_SECONDS: '15' }
  const proxies: RecordingProxy[] = []
  for (let index = 0; index < count; index += 1) {
    const proxy = await startRecordingProxy()
    t.teardown(proxy.close)
    proxies.push(proxy)
  }
  let planes: TestApp[] = []
  /** Of the first one: others read its account by the same keys. */
  let cipher: TestApp['app']['cipher'] | null = null
  const startPlanes = async (): Promise<void> => {
    planes = []
    for (let index = 0; index < count; index += 1) {
      const steadyClock = createSteadyClock({ wall: clock.now, monotonic: clock.monotonic })
      const parts = { db, clock, steadyClock, ...(cipher === null ? {} : { cipher }) }
      const plane = await testApp(t, { env, parts })
      cipher = plane.app.cipher
      planes.push(plane)
    }
  }
  await startPlanes()
  const connect = (): void => {
    for (const [index, proxy] of proxies.entries())
      proxy.forwardTo(Number(new URL((planes[index] as TestApp).url).port))
  }
  connect()
  const agents = new Set<TestAgent>()
  const startAgent = async (index: number, apiKey: string, spool: string): Promise<TestAgent> => {
    const origin = (proxies[index % count] as RecordingProxy).url
    const agent = await testAgent(t, origin, { API_KEY: apiKey, SPOOL_DIR: spool }, { clock })
    agents.add(agent)
    // Before its own end, which would wait for time that nobody moves any more.
    t.teardown(() => (agents.has(agent) ? stopAgent(agent) : undefined))
    return agent
  }
  const tick = async (): Promise<void> => {
    const { signal } = new AbortController()
    for (const { app } of planes)
      for (const name of work) await loops.find((loop) => loop.name === name)?.tick(app, signal)
  }
  let isAway = false
  let answering = 0
  /** Whatever is not waiting for time has come to its end. */
  const quiet = async (): Promise<void> => {
    const running = () => [...agents].reduce((sum, { agent }) => sum + agent.levels().running, 0)
    await new Promise(setImmediate)
    if (isAway && running() === 0) return
    for (let turn = 0; turn < 3 || (turn < patience && running() > answering); turn += 1) await realTime(1)
  }
  let tickedAt = Number.NEGATIVE_INFINITY
  /** From one timer to the next: what happens takes as much time as it says, and no more. */
  const pass = async (ms: number): Promise<void> => {
    const until = clock.monotonic() + ms
    while (clock.monotonic() < until) {
      const left = Math.min(until - clock.monotonic(), isAway ? 60_000 : 1000)
      // Instants are whole milliseconds.
      clock.advance(Math.min(left, Math.max(1, Math.ceil(clock.next() ?? left))))
      if (!isAway && clock.monotonic() >= tickedAt + 1000) {
        tickedAt = clock.monotonic()
        await tick()
      }
      await quiet()
    }
  }
  const levels = () => [...agents].map(({ agent }) => agent.levels())
  const passUntil = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
    for (let steps = 0; !(await holds()); steps += 1) {
      if (steps > longestWait)
        throw new Error(`${what}: not in ${steps} steps; agents: ${JSON.stringify(levels())}`)
      await pass(1000)
    }
  }
  const stopAgent = async (agent: TestAgent): Promise<void> => {
    let stopped = false
    const stopping = agent.stop().then(() => {
      stopped = true
    })
    await passUntil('the end of an agent', () => stopped)
    await stopping
    agents.delete(agent)
  }
  return {
    clock,
    first: () => planes[0] as TestApp,
    pass,
    passUntil,
    /** A target takes so long to answer. */
    answerAfter: async (ms: number): Promise<void> => {
      answering += 1
      await clock.sleep(ms)
      answering -= 1
    },
    startAgent,
    stopAgent,
    goAway: (): void => {
      isAway = true
      for (const proxy of proxies) proxy.forwardTo(null)
      for (const plane of planes) plane.drain()
    },
    /** They have started, and agents cannot reach them yet. */
    comeBack: async (): Promise<void> => {
      await startPlanes()
    },
    connect: (): void => {
      isAway = false
      connect()
    },
  }
}
