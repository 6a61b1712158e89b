/** Flapping: against a model that keeps all runs and knows nothing of bits; what is told before, while and after. */
import t from 'tap'
import {
  type AlertRules,
  type AlertState,
  advance,
  allWell,
  elapse,
  isForgotten,
  isWell,
  type JudgedRun,
  type Level,
  nextTransition,
  respond,
  type Transition,
} from '../../../../control-plane/alerting/engine/advance.ts'
import { changesIn, percentOf } from '../../../../control-plane/alerting/engine/flapping.ts'
import { fc } from '../../../support/fast-check.ts'
import '../../../support/patience.ts'

const minute = 60_000
const letters: Record<string, Level> = { p: 'passing', d: 'degraded', f: 'failing' }

const rules = (more: Partial<AlertRules> = {}): AlertRules => ({
  escalation: { runs: 1 },
  reminders: { amount: 0, intervalMs: 5 * minute },
  muted: false,
  silences: [],
  flapping: { high: 30, low: 25 },
  ...more,
})

type Told = { state: AlertState; transitions: Transition[] }

/** One run a minute, from minute 0. */
const judged = (runs: string, given = rules(), from: Told = { state: allWell, transitions: [] }): Told => {
  let { state } = from
  const transitions = [...from.transitions]
  const first = state.at === 0 ? 0 : state.at + minute
  for (const [index, letter] of [...runs].entries()) {
    const at = first + index * minute
    const step = advance(state, { level: letters[letter] as Level, at, stoppedAt: at }, given)
    state = step.state
    transitions.push(...step.transitions)
  }
  return { state, transitions }
}

const shown = ({ transitions }: Told): string[] =>
  transitions.map(
    ({ alertType, at, flapping, quiet }) =>
      `${at / minute} ${alertType.replace('ALERT_', '')}${flapping === null ? '' : ` ${flapping}`}${quiet ? ' quietly' : ''}`,
  )

const before = ['1 FAILURE', '2 RECOVERY', '3 FAILURE', '4 RECOVERY', '5 FAILURE']

t.test('it is told once that it flaps, then nothing, then once how it is', async (t) => {
  t.strictSame(
    shown(judged('pfpfpfp')),
    [...before, '6 FAILURE_REMAIN begins'],
    'the sixth change is too much',
  )
  const flapping = judged('pfpfpfpfpfdpfpf')
  t.strictSame(shown(flapping), [...before, '6 FAILURE_REMAIN begins'])
  t.equal(nextTransition(flapping.state, rules()), null)
  const well = judged('p'.repeat(21), rules(), flapping)
  t.match(shown(well).slice(6), [/ RECOVERY ends$/], 'and that once')
  t.ok(isWell(well.state))
  const bad = judged('f'.repeat(21), rules(), flapping)
  t.match(shown(bad).slice(6), [/ FAILURE_REMAIN ends$/], 'it fails for good')
  t.match(shown(judged('p', rules(), bad)).slice(7), [/ RECOVERY$/], 'and then is as any other')
  const half = judged('d'.repeat(21), rules(), flapping)
  t.match(shown(half).slice(6), [/ FAILURE_DEGRADED ends$/])
})

t.test(
  'what no threshold lets be told is not told of; a failure that meets it is, although it flaps',
  async (t) => {
    const three = rules({ escalation: { runs: 3 } })
    t.strictSame(shown(judged('pfpfpfpfpfpf', three)), [])
    t.strictSame(shown(judged('pfpfpfpfpfff', three)), ['11 FAILURE_REMAIN begins'])
  },
)

t.test('neither reminders nor what was snoozed come while it flaps', async (t) => {
  const often = rules({ reminders: { amount: 100_000, intervalMs: minute } })
  const { state } = judged('pfpfpfpf', often)
  t.strictSame(elapse(state, state.at + 600 * minute, often).transitions, [])
  const answered = respond(state, { by: 'ada', via: 'API_KEY', at: state.at, until: state.at + minute })
  t.strictSame(elapse(answered as AlertState, state.at + 600 * minute, rules()).transitions, [])
})

t.test(
  'an answer while it flaps holds up to the next run that passes; that it flaps no more is told all the same',
  async (t) => {
    const by = { by: 'ada', via: 'API_KEY', until: null } as const
    const flapping = judged('pfpfpfpf')
    const answered = respond(flapping.state, { ...by, at: flapping.state.at }) as AlertState
    t.match(answered.response, { by: 'ada' })
    t.equal(judged('p', rules(), { state: answered, transitions: [] }).state.response, null)
    t.equal(
      respond(judged('pfpfpfp').state, { ...by, at: 0 }),
      null,
      'a run that passed leaves nothing to answer',
    )
    const often = rules({ reminders: { amount: 100_000, intervalMs: minute } })
    const bad = judged('f'.repeat(21), often, { state: answered, transitions: [] })
    t.match(shown(bad), [/ FAILURE_REMAIN ends$/], 'once')
    t.strictSame(
      elapse(bad.state, bad.state.at + 600 * minute, often).transitions,
      [],
      'and nobody is reminded',
    )
  },
)

t.test('maintenance, what it depends on and a mute keep that back, too', async (t) => {
  const silence = [{ from: 6 * minute, to: 60 * minute }]
  for (const kept of [rules({ silences: silence }), rules({ held: silence })]) {
    const { state, transitions } = judged('pfpfpfpf', kept)
    t.strictSame(shown({ state, transitions }), before)
    t.strictSame(shown(elapse(state, 90 * minute, kept)), ['60 FAILURE_REMAIN begins'], 'until it ends')
    t.strictSame(elapse(state, 90 * minute, rules({ muted: true })).transitions, [])
  }
  const flapping = judged('pfpfpfp')
  const long = { silences: [{ from: 7 * minute, to: 500 * minute }] }
  const over = judged('p'.repeat(21), rules(long), flapping)
  t.strictSame(shown(over).slice(6), [])
  t.strictSame(shown(elapse(over.state, 600 * minute, rules(long))), ['500 RECOVERY ends'])
  const muted = judged('p'.repeat(21), rules({ muted: true }), flapping)
  t.match(shown(muted).slice(6), [/ RECOVERY ends quietly$/], 'what was opened is closed')
})

t.test('switched off while it flaps, it is told how it is', async (t) => {
  const { state } = judged('pfpfpfp')
  t.strictSame(shown(elapse(state, 8 * minute, rules({ flapping: null }))), ['6 RECOVERY ends'])
  t.strictSame(shown(judged('pfpfpfpfp', rules({ flapping: null }))).length, 8, 'without it each is told')
})

t.test('what was is forgotten by runs, and by time', async (t) => {
  const { state } = judged('pfp')
  t.ok(isWell(state))
  t.notOk(isForgotten(state))
  t.notOk(isForgotten(judged('p'.repeat(19), rules(), { state, transitions: [] }).state))
  t.ok(isForgotten(judged('p'.repeat(20), rules(), { state, transitions: [] }).state))
  t.notOk(isForgotten(elapse(state, state.at + 47 * 60 * minute, rules()).state))
  t.ok(isForgotten(elapse(state, state.at + 48 * 60 * minute, rules()).state))
})

const levels = fc.array(fc.constantFrom<Level>('passing', 'passing', 'degraded', 'failing', 'failing'), {
  maxLength: 120,
})
/** Times in which the level stays, so that flapping ends as well. */
const courses = fc
  .array(fc.tuple(levels, fc.constantFrom<Level>('passing', 'failing'), fc.nat({ max: 40 })), {
    maxLength: 4,
  })
  .map((parts) => parts.flatMap(([wild, calm, length]) => [...wild, ...Array<Level>(length).fill(calm)]))
const thresholds = fc.record({
  high: fc.integer({ min: 5, max: 100 }),
  low: fc.integer({ min: 1, max: 100 }),
})

/** From all runs, the oldest first. */
const modelPercent = (course: readonly Level[]): number => {
  const last = [...Array<Level>(21).fill('passing'), ...course].slice(-21)
  const weights = last.slice(1).map((one, index) => (one === last[index] ? 0 : 0.75 + (0.5 * index) / 19))
  return weights.reduce((sum, weight) => sum + weight, 0) * 5
}

t.test('random courses against the model', async (t) => {
  let begun = 0
  let ended = 0
  fc.assert(
    fc.property(courses, thresholds, fc.integer({ min: 1, max: 4 }), (course, flapping, runs) => {
      const given = rules({
        flapping,
        escalation: { runs },
        reminders: { amount: 2, intervalMs: 3 * minute },
      })
      let state = allWell
      let flaps = false
      let known: Level = 'passing'
      let isTold = false
      for (const [index, level] of course.entries()) {
        const at = (index + 1) * minute
        const run: JudgedRun = { level, at, stoppedAt: at }
        const step = advance(state, run, given)
        const percent = modelPercent(course.slice(0, index + 1))
        if (Math.abs(percent - percentOf(step.state.flaps)) > 1e-6) return false
        // Sums of the same weights in another order.
        if (Math.abs(percent - flapping.high) > 1e-6 && Math.abs(percent - flapping.low) > 1e-6)
          flaps = flaps ? percent >= Math.min(flapping.low, flapping.high) : percent >= flapping.high
        else flaps = step.state.flaps.isOn
        if (flaps !== step.state.flaps.isOn || changesIn(step.state.flaps) > 20) return false
        const [first, ...more] = step.transitions.filter((one) => one.at === at && one.reminder === 0)
        if (more.length > 0) return false
        // While it flaps and people know, nothing at all.
        if (flaps && isTold && step.transitions.some((one) => one.at === at)) return false
        if (first !== undefined) {
          if ((first.flapping === 'begins') !== flaps) return false
          if ((first.flapping === 'ends') !== (!flaps && isTold)) return false
          begun += first.flapping === 'begins' ? 1 : 0
          ended += first.flapping === 'ends' ? 1 : 0
          isTold = flaps
          known = flaps && level === 'passing' ? known : level
        }
        // Once told, the end is told with the run that brings it.
        if (!flaps && isTold) return false
        if ((step.state.told ?? 'passing') !== known) return false
        // Nothing is silent without a reason: it flaps, or the threshold is not met.
        if (level !== known && !flaps && (known !== 'passing' || step.state.streak >= runs)) return false
        state = step.state
      }
      return true
    }),
    { numRuns: 3000 },
  )
  t.ok(begun > 1000 && ended > 500, `${begun} times it began, ${ended} times it ended`)
})
