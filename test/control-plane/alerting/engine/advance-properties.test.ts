/** What holds for every sequence of runs, every setting and every silence (promise 4). */

import t from 'tap'
import {
  type AlertRules,
  type AlertState,
  advance,
  allWell,
  elapse,
  type JudgedRun,
  type Level,
  lateMs,
  type Transition,
} from '../../../../control-plane/alerting/engine/advance.ts'
import { fc } from '../../../support/fast-check.ts'
import '../../../support/patience.ts'

const minute = 60_000
const second = 1000
const sequences = 12_000

const level = fc.constantFrom<Level>('passing', 'degraded', 'failing', 'failing')

/** Runs from seconds to many minutes apart; their agents ended them up to a minute before they were judged. */
const runs = fc
  .array(fc.record({ level, gap: fc.nat({ max: 400 }), age: fc.nat({ max: 60 }) }), { maxLength: 40 })
  .map((gaps) => {
    let at = 1_700_000_000_000
    return gaps.map(({ level, gap, age }): JudgedRun => {
      // No two things ever happen in the same millisecond.
      at += gap * second + 1
      return { level, at, stoppedAt: at - age * second }
    })
  })

const rules = fc.record({
  escalation: fc.oneof(
    fc.record({ runs: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ afterMs: fc.constantFrom(5, 10, 15, 30).map((minutes) => minutes * minute) }),
  ),
  reminders: fc.record({
    amount: fc.constantFrom(0, 1, 2, 5, 100_000),
    intervalMs: fc.constantFrom(1, 2, 5, 30).map((minutes) => minutes * minute),
  }),
  muted: fc.constantFrom(false, false, false, true),
  silences: fc.array(
    fc
      .record({ start: fc.nat({ max: 14_000 }), length: fc.integer({ min: 1, max: 3000 }) })
      .map(({ start, length }) => ({
        from: 1_700_000_000_000 + start * second,
        to: 1_700_000_000_000 + (start + length) * second,
      })),
    { maxLength: 3 },
  ),
})

type Told = { state: AlertState; transitions: Transition[] }

const replay = (sequence: readonly JudgedRun[], given: AlertRules, ticks: readonly number[] = []): Told => {
  let state = allWell
  const transitions: Transition[] = []
  const take = (step: Told) => {
    state = step.state
    transitions.push(...step.transitions)
  }
  const waiting = [...ticks].sort((a, b) => a - b)
  for (const run of sequence) {
    while ((waiting[0] ?? Number.POSITIVE_INFINITY) < run.at) take(elapse(state, waiting.shift() ?? 0, given))
    take(advance(state, run, given))
  }
  return { state, transitions }
}

const levelTold: Partial<Record<Transition['alertType'], Level>> = {
  ALERT_DEGRADED: 'degraded',
  ALERT_DEGRADED_REMAIN: 'degraded',
  ALERT_FAILURE_DEGRADED: 'degraded',
  ALERT_FAILURE: 'failing',
  ALERT_FAILURE_REMAIN: 'failing',
  ALERT_DEGRADED_FAILURE: 'failing',
  ALERT_RECOVERY: 'passing',
  ALERT_DEGRADED_RECOVERY: 'passing',
}

/** The runs that count, by a rule of its own: none that ended long before one that was judged earlier. */
const counted = (sequence: readonly JudgedRun[]): JudgedRun[] => {
  const kept: JudgedRun[] = []
  for (const run of sequence)
    if (kept.every(({ stoppedAt }) => run.stoppedAt >= stoppedAt - lateMs)) kept.push(run)
  return kept
}

const withoutReminders = (transitions: readonly Transition[]) =>
  transitions.filter(({ reminder }) => reminder === 0)
const isSilenced = (at: number, { silences }: AlertRules) =>
  silences.some(({ from, to }) => at >= from && at < to)

const isMet = (streak: JudgedRun[], at: number, { escalation }: AlertRules): boolean =>
  'runs' in escalation ? streak.length >= escalation.runs : at - (streak[0]?.at ?? at) >= escalation.afterMs

let noticesSeen = 0
let runsSeen = 0

t.test(`of ${sequences} random sequences`, async (t) => {
  fc.assert(
    fc.property(runs, rules, (sequence, given) => {
      const { state, transitions } = replay(sequence, given)
      runsSeen += sequence.length
      noticesSeen += transitions.length
      const judged = counted(sequence)
      let told: Level = 'passing'
      let lastAt = 0
      let changed: Transition | undefined
      for (const notice of transitions) {
        const { at, alertType, reminder, quiet } = notice
        if (at < lastAt) return false
        lastAt = at
        if (given.muted !== quiet || (!quiet && isSilenced(at, given))) return false
        const next = levelTold[alertType] as Level
        if (reminder > 0) {
          // Reminders repeat what was told, not too soon and not too often.
          if (next !== told || told === 'passing' || reminder > given.reminders.amount) return false
          if (at < (changed?.at ?? 0) + reminder * given.reminders.intervalMs) return false
          continue
        }
        if (next === told) return false
        const soFar = judged.filter((run) => run.at <= at)
        const streak = soFar.length - 1 - soFar.findLastIndex((run) => run.level !== next)
        // What is told is what the runs up to then say.
        if (streak === 0) return false
        const before: Level = soFar.at(-1 - streak)?.level ?? 'passing'
        if (told === 'passing' && before === 'passing' && !isMet(soFar.slice(-streak), at, given))
          return false
        told = next
        changed = notice
      }
      return told === (state.told ?? 'passing') && state.level === (judged.at(-1)?.level ?? 'passing')
    }),
    { numRuns: sequences },
  )
  t.pass(`transitions follow the runs and the rules: ${runsSeen} runs led to ${noticesSeen} transitions`)
  t.ok(noticesSeen > sequences, 'and transitions there were')
  t.comment(`${sequences} sequences, ${runsSeen} runs, ${noticesSeen} transitions`)
})

t.test(`of ${sequences} random sequences nothing is left untold when all silences are over`, async (t) => {
  fc.assert(
    fc.property(runs, rules, (sequence, given) => {
      const until = (sequence.at(-1)?.at ?? 0) + 24 * 60 * minute
      const { state } = elapse(replay(sequence, given).state, until, given)
      const { level, told, streak, changedFrom } = state
      if (level === (told ?? 'passing')) return true
      if (given.muted) return level !== 'passing'
      return (
        told === null &&
        changedFrom === 'passing' &&
        'runs' in given.escalation &&
        streak < given.escalation.runs
      )
    }),
    { numRuns: sequences },
  )
  t.pass('no counterexample')
})

t.test('whenever somebody looks, the state and what is told are the same', async (t) => {
  const looks = fc.array(fc.nat({ max: 16_000 }).map((after) => 1_700_000_000_000 + after * second))
  fc.assert(
    fc.property(runs, rules, looks, (sequence, given, ticks) => {
      const often = replay(sequence, given, ticks)
      const never = replay(sequence, given)
      t.strictSame(often.state, never.state)
      t.strictSame(withoutReminders(often.transitions), withoutReminders(never.transitions))
    }),
    { numRuns: 2000 },
  )
})

t.test('a state survives the store: it is plain data', async (t) => {
  fc.assert(
    fc.property(runs, rules, (sequence, given) => {
      const { state } = replay(sequence, given)
      const again = JSON.parse(JSON.stringify(state)) as AlertState
      const next: JudgedRun = { level: 'passing', at: state.at + minute, stoppedAt: state.at + minute }
      t.strictSame(advance(again, next, given), advance(state, next, given))
    }),
    { numRuns: 500 },
  )
})
