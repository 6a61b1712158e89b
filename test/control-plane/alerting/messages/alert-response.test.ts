/** An answer to an alert keeps back reminders, and nothing else; a snooze comes back once. */

import t from 'tap'
import {
  type AlertRules,
  type AlertState,
  advance,
  allWell,
  elapse,
  type Level,
  respond,
  type Transition,
} from '../../../../control-plane/alerting/engine/advance.ts'
import { fc } from '../../../support/fast-check.ts'
import '../../../support/patience.ts'

const minute = 60_000
const who = { by: 'Ada', via: 'API_KEY' as const }

type Step = { after: number } & (
  | { run: Level }
  | { answer: 'acknowledge' | 'take back' }
  | { snoozeMs: number }
  | { look: true }
)
type Told = { state: AlertState; transitions: Transition[]; at: number }

const rules = (more: Partial<AlertRules> = {}): AlertRules => ({
  escalation: { runs: 1 },
  reminders: { amount: 100_000, intervalMs: 5 * minute },
  muted: false,
  silences: [],
  ...more,
})

const taken = (steps: readonly Step[], given: AlertRules): Told => {
  let state = allWell
  let at = 0
  const transitions: Transition[] = []
  for (const step of steps) {
    at += step.after
    const before = 'run' in step ? null : elapse(state, at, given)
    if ('run' in step) {
      const next = advance(state, { level: step.run, at, stoppedAt: at }, given)
      state = next.state
      transitions.push(...next.transitions)
    } else if (before !== null) {
      transitions.push(...before.transitions)
      state = answered(before.state, step, at)
    }
  }
  return { state, transitions, at }
}

const answered = (state: AlertState, step: Step, at: number): AlertState => {
  if ('snoozeMs' in step) return respond(state, { ...who, at, until: at + step.snoozeMs }) ?? state
  if (!('answer' in step)) return state
  if (step.answer === 'take back') return { ...state, response: null }
  return respond(state, { ...who, at, until: null }) ?? state
}

const shown = ({ transitions }: Pick<Told, 'transitions'>): string[] =>
  transitions.map(
    ({ alertType, at, reminder, comesBack }) =>
      `${at / minute} ${alertType.replace('ALERT_', '')}${comesBack ? ' back' : reminder > 0 ? ` ${reminder}` : ''}`,
  )

const fails: Step = { after: minute, run: 'failing' }
const later = (minutes: number): Step => ({ after: minutes * minute, look: true })
const acknowledge: Step = { after: minute, answer: 'acknowledge' }
const snooze = (minutes: number): Step => ({ after: minute, snoozeMs: minutes * minute })

const cases: [name: string, steps: Step[], given: Partial<AlertRules>, expected: string[]][] = [
  [
    'without an answer there are reminders',
    [fails, later(5), later(5)],
    {},
    ['1 FAILURE', '6 FAILURE_REMAIN 1', '11 FAILURE_REMAIN 2'],
  ],
  ['what is acknowledged is not reminded of', [fails, acknowledge, later(5), later(500)], {}, ['1 FAILURE']],
  [
    'a recovery is told, and the next failure is a new one',
    [fails, acknowledge, { after: minute, run: 'passing' }, fails, later(5)],
    {},
    ['1 FAILURE', '3 RECOVERY', '4 FAILURE', '9 FAILURE_REMAIN 1'],
  ],
  [
    'what becomes worse is told, and reminded of',
    [{ after: minute, run: 'degraded' }, acknowledge, fails, later(5)],
    {},
    ['1 DEGRADED', '3 DEGRADED_FAILURE', '8 FAILURE_REMAIN 1'],
  ],
  [
    'what becomes better is told, and stays acknowledged',
    [fails, acknowledge, { after: minute, run: 'degraded' }, later(500)],
    {},
    ['1 FAILURE', '3 FAILURE_DEGRADED'],
  ],
  [
    'a snooze comes back once, and reminders begin again',
    [fails, snooze(60), later(59), later(1), later(5)],
    {},
    ['1 FAILURE', '62 FAILURE_REMAIN back', '67 FAILURE_REMAIN 1'],
  ],
  [
    'a snooze comes back also where there are no reminders',
    [fails, snooze(60), later(600)],
    { reminders: { amount: 0, intervalMs: minute } },
    ['1 FAILURE', '62 FAILURE_REMAIN back'],
  ],
  [
    'a snooze ends with the recovery',
    [fails, snooze(60), { after: minute, run: 'passing' }, later(600)],
    {},
    ['1 FAILURE', '3 RECOVERY'],
  ],
  [
    'what comes back during maintenance waits for its end',
    [fails, snooze(60), later(90)],
    { reminders: { amount: 0, intervalMs: minute }, silences: [{ from: 50 * minute, to: 80 * minute }] },
    ['1 FAILURE', '80 FAILURE_REMAIN back'],
  ],
  [
    'an answer that is taken back lets one reminder through for all that were kept back',
    [fails, acknowledge, later(20), { after: minute, answer: 'take back' }, later(1)],
    {},
    ['1 FAILURE', '21 FAILURE_REMAIN 4'],
  ],
]

for (const [name, steps, more, expected] of cases)
  t.test(name, async (t) => t.strictSame(shown(taken(steps, rules(more))), expected))

t.test('there is nothing to answer while all is well, or before anybody was told', async (t) => {
  const answer = { ...who, at: 1, until: null }
  t.equal(respond(allWell, answer), null)
  const untold = advance(
    allWell,
    { level: 'failing', at: 1, stoppedAt: 1 },
    rules({ escalation: { runs: 3 } }),
  )
  t.equal(respond(untold.state, answer), null)
})

t.test('the same answer again changes nothing: the first one stays', async (t) => {
  const { state } = taken([fails], rules())
  const once = respond(state, { ...who, at: 5, until: null })
  t.equal(once === null ? null : respond(once, { by: 'Bob', via: 'SLACK', at: 6, until: null }), once)
})

const step: fc.Arbitrary<Step> = fc
  .tuple(
    fc.integer({ min: 1, max: 40 }),
    fc.oneof(
      fc
        .constantFrom<Level>('passing', 'degraded', ...Array<Level>(8).fill('failing'))
        .map((run) => ({ run })),
      fc.constantFrom('acknowledge' as const, 'take back' as const).map((answer) => ({ answer })),
      fc.integer({ min: 1, max: 60 }).map((minutes) => ({ snoozeMs: minutes * minute })),
      fc.constant({ look: true as const }),
    ),
  )
  .map(([minutes, what]) => ({ after: minutes * minute + 1, ...what }))

const given = fc.record({
  escalation: fc.constantFrom({ runs: 1 }, { runs: 3 }, { afterMs: 10 * minute }),
  reminders: fc.record({
    amount: fc.constantFrom(0, 2, 100_000),
    intervalMs: fc.constantFrom(5 * minute, 30 * minute),
  }),
  muted: fc.constantFrom(false, false, true),
  silences: fc.constantFrom([], [{ from: 50 * minute, to: 120 * minute }]),
})

const isNews = ({ reminder }: Transition): boolean => reminder === 0
const newsOf = (transitions: readonly Transition[]) =>
  transitions.filter(isNews).map(({ alertType, at, quiet }) => `${at} ${alertType} ${quiet}`)

t.test('of 5000 random stories', async (t) => {
  let comebacks = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 15, maxLength: 40 }), given, (steps, rules) => {
      const { state, transitions, at } = taken(steps, rules)
      // What is no reminder is the same as without any answer.
      const unanswered = taken(
        steps.map((each) => ('run' in each ? each : { after: each.after, look: true })),
        rules,
      )
      if (newsOf(transitions).join() !== newsOf(unanswered.transitions).join()) return false
      const back = transitions.filter(({ comesBack }) => comesBack)
      comebacks += back.length
      if (back.length > steps.filter((each) => 'snoozeMs' in each).length) return false
      // Nothing is told while an acknowledgement holds, and a snooze that holds comes back exactly once.
      const until = state.response?.until ?? null
      const after = elapse(state, at + 100 * 24 * 60 * minute, rules).transitions.filter(
        (each) => !isNews(each),
      )
      if (state.response === null || rules.muted || state.level !== state.told) return true
      if (until === null) return after.length === 0
      const first = elapse(state, Math.max(until, at) + 71 * minute, {
        ...rules,
        reminders: { amount: 0, intervalMs: 1 },
      })
      return first.transitions.filter(({ comesBack }) => comesBack).length === 1
    }),
    { numRuns: 5000 },
  )
  t.ok(comebacks > 200, `and there were snoozes that came back: ${comebacks}`)
})
