/** What holds for every course of a check and of what it depends on: nothing is silent without a reason, and no wait is without an end. */
import t from 'tap'
import {
  type Dependency,
  type FailureToTell,
  type HeldBack,
  holdFor,
} from '../../../../control-plane/alerting/engine/held-back.ts'
import { fc } from '../../../support/fast-check.ts'

const waitMs = 10_000

const up = (startedAt: number, more: Partial<Dependency> = {}): Dependency => ({
  on: 'check:router',
  name: 'router',
  isDown: false,
  downSince: 0,
  startedAt,
  canRun: true,
  ...more,
})

const failure = (more: Partial<FailureToTell>): FailureToTell => ({
  dueAt: 1000,
  startedAt: 900,
  isFirst: true,
  untoldSince: null,
  dependencies: [],
  before: null,
  waitMs,
  now: 1000,
  ...more,
})

t.test('each reason, and what follows from it', async (t) => {
  t.equal(holdFor(failure({})), null, 'it depends on nothing')
  t.equal(holdFor(failure({ dependencies: [up(900)] })), null, 'known to be well since')
  t.match(holdFor(failure({ dependencies: [up(899)] })), {
    held: { phase: 'asked', since: 1000 },
    until: 1000 + waitMs,
    run: ['check:router'],
  })
  t.equal(holdFor(failure({ dependencies: [up(899, { canRun: false })] })), null, 'it cannot be run')
  t.equal(holdFor(failure({ dependencies: [up(899)], isFirst: false })), null, 'reminders wait for no run')
  t.match(holdFor(failure({ dependencies: [up(0), up(0, { on: 'group:1', isDown: true })] })), {
    held: { on: 'group:1', phase: 'down' },
    run: [],
  })
  const longAgo = [up(0, { isDown: true })]
  t.match(holdFor(failure({ dependencies: longAgo, startedAt: 20_000, now: 20_000 })), {
    held: { phase: 'down' },
    run: ['check:router'],
  })
  t.equal(holdFor(failure({ dependencies: [up(899)], waitMs: 0 })), null, 'nothing is waited for')
  const asked: HeldBack = { on: 'check:router', phase: 'asked', since: 1000, name: 'router', from: 1000 }
  t.equal(
    holdFor(failure({ dependencies: [up(0)], before: asked, dueAt: 10_900, now: 11_000 })),
    null,
    'a further failing run makes the wait no longer',
  )
  const down: HeldBack = { on: 'check:router', phase: 'down', since: 500, name: 'router', from: 400 }
  t.match(holdFor(failure({ dependencies: [up(990)], before: down })), {
    held: { phase: 'recovered', since: 1000 },
    run: 'itself',
  })
  const recovered: HeldBack = { ...down, phase: 'recovered', since: 950 }
  t.match(holdFor(failure({ before: recovered })), { run: [] }, 'its own run is still on its way')
  t.equal(holdFor(failure({ before: recovered, startedAt: 950 })), null, 'it still fails')
  t.equal(holdFor(failure({ dependencies: [up(990)], before: down, waitMs: 0 })), null, 'told at once')
})

t.test('since when a failure is explained by what is down', async (t) => {
  const from = (more: Partial<FailureToTell>, downSince: number) =>
    holdFor(failure({ now: 9000, dependencies: [up(900, { isDown: true, downSince })], ...more }))?.held.from
  t.equal(from({ untoldSince: 5000 }, 2000), 5000, 'since it fails')
  t.equal(from({ untoldSince: 5000 }, 7000), 7000, 'before, it failed for another reason')
  t.equal(from({ untoldSince: null }, 2000), 9000, 'what people know of is only kept back from now on')
  const down: HeldBack = { on: 'check:router', phase: 'down', since: 500, name: 'router', from: 400 }
  t.equal(from({ untoldSince: 300, before: down }, 8000), 400, 'as it was said when it began')
  t.equal(from({ untoldSince: 300, before: { ...down, on: 'group:1' } }, 450), 9000, 'another explained it')
})

type Step = { waitMs: number; isDown: boolean; routerRuns: boolean; shopRuns: boolean }

const step = fc.record({
  waitMs: fc.integer({ min: 1, max: 15_000 }),
  isDown: fc.boolean(),
  routerRuns: fc.boolean(),
  shopRuns: fc.boolean(),
})

t.test('a failure that nothing explains is told within two waits', async (t) => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps: Step[]) => {
      let [now, routerStartedAt, startedAt] = [100_000, 0, 100_000]
      let before: HeldBack | null = null
      let wellSince: number | null = now
      for (const { waitMs, isDown, routerRuns, shopRuns } of steps) {
        now += waitMs
        if (routerRuns) routerStartedAt = now
        if (shopRuns) startedAt = now
        wellSince = isDown ? null : (wellSince ?? now)
        const dependencies = [up(routerStartedAt, { isDown })]
        const untoldSince = 100_000
        const hold = holdFor({
          ...{ dueAt: 100_000, startedAt, isFirst: true, untoldSince },
          ...{ dependencies, before, waitMs, now },
        })
        if (hold !== null) t.ok(hold.until > now, 'it is looked at again')
        if (isDown) t.equal(hold?.held.phase, 'down')
        else if (wellSince !== null && now - wellSince >= 2 * waitMs + 15_000)
          t.equal(hold, null, 'what it depends on is well, and has been for long')
        if (hold === null) return
        before = hold.held
      }
    }),
  )
})
