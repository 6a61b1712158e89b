import t from 'tap'
import {
  activeIntervals,
  activeWindows,
  type Exception,
  pausedAt,
  pausesWithin,
  silencedAt,
  type WindowPlan,
} from '../../../../control-plane/communication/maintenance-windows/active-windows.ts'
import { fc } from '../../../support/fast-check.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const start = Date.parse('2026-06-01T02:00:00Z')

const window = (more: Partial<WindowPlan> = {}): WindowPlan => ({
  startsAt: start,
  endsAt: start + hourMs,
  timezone: 'UTC',
  repeatUnit: 'DAY',
  repeatInterval: 1,
  repeatEndsAt: null,
  autoStart: true,
  autoEnd: true,
  tags: [],
  pauseAllChecks: false,
  silenceAlertsTags: [],
  silenceAllAlerts: false,
  exceptions: new Map(),
  ...more,
})

const exception = (date: string, more: Partial<Exception>): Pick<WindowPlan, 'exceptions'> => ({
  exceptions: new Map([[date, { startsAt: null, endsAt: null, deleted: false, updates: [], ...more }]]),
})

/** Hours after the first start at which it acts, over three days. */
const hours = (plan: WindowPlan): string =>
  activeIntervals(plan, { from: start - dayMs, to: start + 3 * dayMs })
    .map(({ from, to }) => `${(from - start) / hourMs}-${(to - start) / hourMs}`)
    .join(' ')

t.test('a window acts from its start up to, not including, its end, at every occurrence', async (t) => {
  t.equal(hours(window()), '0-1 24-25 48-49')
  t.strictSame(
    [-1, 0, hourMs - 1, hourMs].map((after) => activeWindows([window()], start + after).length),
    [0, 1, 1, 0],
  )
})

t.test('tags pause the checks and groups that share one', async (t) => {
  const plan = window({ tags: ['db', 'eu'] })
  t.equal(pausedAt([plan], ['web', 'eu'], start), true)
  t.equal(pausedAt([plan], ['web'], start), false)
  t.equal(pausedAt([plan], [], start), false)
  t.equal(pausedAt([plan], ['eu'], start + 2 * hourMs), false)
})

t.test('pauseAllChecks overrides tags', async (t) => {
  t.equal(pausedAt([window({ tags: ['db'], pauseAllChecks: true })], [], start), true)
})

t.test('silencing has tags of its own and pauses nothing', async (t) => {
  const plan = window({ silenceAlertsTags: ['db'] })
  t.equal(silencedAt([plan], ['db'], start), true)
  t.equal(silencedAt([plan], ['web'], start), false)
  t.equal(pausedAt([plan], ['db'], start), false)
  t.equal(silencedAt([window({ silenceAllAlerts: true })], [], start), true)
  t.equal(silencedAt([window({ pauseAllChecks: true, tags: ['db'] })], ['db'], start), false)
})

t.test('paused times of several windows are joined', async (t) => {
  const windows = [
    window({ tags: ['db'], repeatUnit: null }),
    window({ tags: ['db'], repeatUnit: null, startsAt: start + hourMs / 2, endsAt: start + 2 * hourMs }),
  ]
  t.strictSame(pausesWithin(windows, { from: start, to: start + dayMs })(['db']), [
    { from: start, to: start + 2 * hourMs },
  ])
})

t.test('a moved occurrence acts where it was moved to, a removed one not at all', async (t) => {
  const moved = { startsAt: start + 30 * hourMs, endsAt: start + 33 * hourMs }
  t.equal(hours(window(exception('2026-06-02', moved))), '0-1 30-33 48-49')
  t.equal(hours(window(exception('2026-06-02', { deleted: true }))), '0-1 48-49')
})

t.test('an update ends or begins the effect at once', async (t) => {
  const cancelled = { at: start + 20 * hourMs, status: 'CANCELLED' } as const
  t.equal(hours(window(exception('2026-06-02', { updates: [cancelled] }))), '0-1 48-49')
  const done = { at: start + 0.5 * hourMs, status: 'COMPLETED' } as const
  t.equal(hours(window(exception('2026-06-01', { updates: [done] }))), '0-0.5 24-25 48-49')
  const early = { at: start - 2 * hourMs, status: 'IN_PROGRESS' } as const
  t.equal(hours(window(exception('2026-06-01', { updates: [early] }))), '-2-1 24-25 48-49')
})

t.test('VERIFYING still acts; a re-opened occurrence acts until it is closed again', async (t) => {
  const updates = [
    { at: start + 0.5 * hourMs, status: 'VERIFYING' },
    { at: start + 3 * hourMs, status: 'IN_PROGRESS' },
    { at: start + 4 * hourMs, status: 'COMPLETED' },
  ] as const
  t.equal(hours(window(exception('2026-06-01', { updates }))), '0-1 3-4 24-25 48-49')
})

t.test('without autoStart a window acts only once somebody starts it', async (t) => {
  const plan = window({ autoStart: false })
  t.equal(hours(plan), '')
  const begun = { at: start + 0.5 * hourMs, status: 'IN_PROGRESS' } as const
  t.equal(hours({ ...plan, ...exception('2026-06-01', { updates: [begun] }) }), '0.5-1')
})

t.test('without autoEnd a window acts past its end until closed, or until the next occurrence', async (t) => {
  const plan = window({ autoEnd: false })
  t.equal(hours(window({ autoEnd: false, repeatUnit: null })), '0-72')
  t.equal(hours(plan), '0-72', 'the next one takes over')
  t.equal(activeWindows([plan], start + 1000 * dayMs - 1).length, 1)
  const done = { at: start + 5 * hourMs, status: 'COMPLETED' } as const
  t.equal(hours({ ...plan, ...exception('2026-06-01', { updates: [done] }) }), '0-5 24-72')
  t.equal(hours({ ...plan, ...exception('2026-06-02', { deleted: true }) }), '0-72', 'the first goes on')
})

t.test('whether a moment is paused agrees with the paused times around it', async (t) => {
  const anyUpdate = fc.record({
    at: fc.integer({ min: start - dayMs, max: start + 4 * dayMs }),
    status: fc.constantFrom('SCHEDULED', 'IN_PROGRESS', 'VERIFYING', 'COMPLETED', 'CANCELLED' as const),
  })
  const anyWindow = fc
    .record({
      lengthMs: fc.integer({ min: 1, max: 2 * dayMs }),
      timezone: fc.constantFrom('UTC', 'America/New_York', 'Australia/Lord_Howe'),
      repeatUnit: fc.constantFrom('DAY', 'WEEK', null),
      autoStart: fc.boolean(),
      autoEnd: fc.boolean(),
      deleted: fc.boolean(),
      updates: fc.array(anyUpdate, { maxLength: 4 }),
    })
    .map(({ lengthMs, deleted, updates, ...rest }) =>
      window({
        ...rest,
        repeatInterval: 1,
        endsAt: start + lengthMs,
        pauseAllChecks: true,
        ...exception('2026-06-01', { deleted, updates: updates as Exception['updates'] }),
      }),
    )
  const around = { from: start - 2 * dayMs, to: start + 6 * dayMs }
  const anyTime = fc.integer({ min: around.from, max: around.to - 1 })
  fc.assert(
    fc.property(anyWindow, anyTime, (plan, time) => {
      const within = pausesWithin([plan], around)([]).some(({ from, to }) => from <= time && time < to)
      return pausedAt([plan], [], time) === within
    }),
    { numRuns: 400, seed: 7 },
  )
  t.pass()
})
