import t from 'tap'
import {
  type AlertRules,
  type AlertState,
  advance,
  allWell,
  elapse,
  isWell,
  type Level,
  lateMs,
  nextTransition,
  type Transition,
} from '../../../../control-plane/alerting/engine/advance.ts'

const minute = 60_000
const letters: Record<string, Level> = { p: 'passing', d: 'degraded', f: 'failing' }

const rules = (more: Partial<AlertRules> = {}): AlertRules => ({
  escalation: { runs: 1 },
  reminders: { amount: 0, intervalMs: 5 * minute },
  muted: false,
  silences: [],
  ...more,
})

type Told = { state: AlertState; transitions: Transition[] }

/** One run a minute, from minute 0: `pff` passes, fails, fails. Then time passes until `until` (in minutes). */
const judged = (runs: string, given: AlertRules, until = runs.length): Told => {
  let state = allWell
  const transitions: Transition[] = []
  for (const [index, letter] of [...runs].entries()) {
    const at = index * minute
    const step = advance(state, { level: letters[letter] as Level, at, stoppedAt: at }, given)
    state = step.state
    transitions.push(...step.transitions)
  }
  const last = elapse(state, until * minute, given)
  return { state: last.state, transitions: [...transitions, ...last.transitions] }
}

const shown = ({ transitions }: Told): string[] =>
  transitions.map(
    ({ alertType, at, reminder }) =>
      `${at / minute} ${alertType.replace('ALERT_', '')}${reminder > 0 ? ` reminder ${reminder}` : ''}`,
  )

const cases: [name: string, runs: string, given: Partial<AlertRules>, expected: string[]][] = [
  ['passing runs tell nothing', 'ppp', {}, []],
  ['pass → fail', 'pf', {}, ['1 FAILURE']],
  ['pass → degraded', 'pd', {}, ['1 DEGRADED']],
  ['the first run of all may fail', 'f', {}, ['0 FAILURE']],
  ['a failure that was told is told once', 'pfff', {}, ['1 FAILURE']],
  ['fail → pass', 'pfp', {}, ['1 FAILURE', '2 RECOVERY']],
  ['degraded → pass', 'pdp', {}, ['1 DEGRADED', '2 DEGRADED_RECOVERY']],
  ['degraded → fail', 'pdf', {}, ['1 DEGRADED', '2 DEGRADED_FAILURE']],
  [
    'fail → degraded, and back to well',
    'pfdp',
    {},
    ['1 FAILURE', '2 FAILURE_DEGRADED', '3 DEGRADED_RECOVERY'],
  ],
  ['a threshold of three is met by the third run in a row', 'pffff', three(), ['3 FAILURE_REMAIN']],
  ['a passing run starts the count again', 'pffpff', three(), []],
  ['what never met its threshold has no recovery', 'pffp', three(), []],
  ['degraded runs have the same threshold', 'pddd', three(), ['3 DEGRADED_REMAIN']],
  ['degraded → fail has no threshold', 'pdf', three(), ['2 DEGRADED_FAILURE']],
  ['fail → degraded has no threshold', 'pfdp', three(), ['2 FAILURE_DEGRADED', '3 DEGRADED_RECOVERY']],
  ['muted: nothing', 'pfdfp', { muted: true }, []],
]

function three(): Partial<AlertRules> {
  return { escalation: { runs: 3 } }
}

for (const [name, runs, given, expected] of cases)
  t.test(name, async (t) => t.strictSame(shown(judged(runs, rules(given))), expected))

t.test('time based: told when it still fails after the minutes, however many runs there were', async (t) => {
  const five = rules({ escalation: { afterMs: 5 * minute } })
  t.strictSame(shown(judged('pfffp', five, 60)), [], 'recovered in time')
  t.strictSame(shown(judged('pf', five, 5)), [], 'a moment too early')
  t.strictSame(shown(judged('pf', five, 6)), ['6 FAILURE'], 'without any further run')
  t.strictSame(shown(judged('pffffffff', five)), ['6 FAILURE_REMAIN'], 'once')
})

t.test('reminders start after the first alert, come every interval, and end with the recovery', async (t) => {
  const twice = rules({ reminders: { amount: 2, intervalMs: 2 * minute } })
  const reminded = ['1 FAILURE', '3 FAILURE_REMAIN reminder 1', '5 FAILURE_REMAIN reminder 2']
  t.strictSame(shown(judged('pf', twice, 3)), reminded.slice(0, 2))
  t.strictSame(shown(judged('pffffffff', twice, 60)), reminded)
  t.strictSame(shown(judged('pfp', twice, 60)), ['1 FAILURE', '2 RECOVERY'])
  const endless = rules({ reminders: { amount: 100_000, intervalMs: minute } })
  t.equal(judged('pf', endless, 1).transitions.length, 1)
  const late = elapse(judged('pf', endless, 1).state, 40 * minute, endless)
  t.strictSame(
    late.transitions.map(({ at, reminder }) => [at / minute, reminder]),
    [[40, 39]],
    'reminders that nobody was there to send are one',
  )
})

t.test('a silence keeps back what lies in it, and its end tells what is still so', async (t) => {
  const silent = (from: number, to: number, more: Partial<AlertRules> = {}) =>
    rules({ silences: [{ from: from * minute, to: to * minute }], ...more })
  t.strictSame(shown(judged('pff', silent(1, 10), 10)), ['10 FAILURE_REMAIN'], 'it still fails')
  t.strictSame(shown(judged('pf', silent(1, 10), 10)), ['10 FAILURE'], 'no run came after it')
  t.strictSame(shown(judged('pfp', silent(1, 10), 60)), [], 'it recovered unnoticed')
  t.strictSame(shown(judged('pf', silent(2, 10), 60)), ['1 FAILURE'], 'told before the silence')
  t.strictSame(
    shown(judged('pfp', silent(2, 10), 60)),
    ['1 FAILURE', '10 RECOVERY'],
    'a recovery of what was told waits for the end',
  )
  t.strictSame(shown(judged('pfpf', silent(2, 10), 60)), ['1 FAILURE'], 'down again: nothing to correct')
  t.strictSame(shown(judged('pfd', silent(2, 10), 60)), ['1 FAILURE', '10 FAILURE_DEGRADED'])
  t.strictSame(
    shown(judged('pf', silent(3, 10, { reminders: { amount: 9, intervalMs: 2 * minute } }), 10)),
    ['1 FAILURE', '10 FAILURE_REMAIN reminder 4'],
    'reminders too, as one',
  )
  const touching = rules({
    silences: [
      { from: 4 * minute, to: 9 * minute },
      { from: minute, to: 5 * minute },
    ],
  })
  t.strictSame(shown(judged('pf', touching, 60)), ['9 FAILURE'], 'silences that overlap are one')
})

t.test('muting ends the transitions, and what was opened before is closed quietly', async (t) => {
  const { state } = judged('pf', rules())
  const muted = rules({ muted: true, reminders: { amount: 5, intervalMs: minute } })
  t.equal(nextTransition(state, muted), null, 'no reminders')
  const step = advance(state, { level: 'passing', at: 9 * minute, stoppedAt: 9 * minute }, muted)
  t.match(step.transitions, [{ alertType: 'ALERT_RECOVERY', quiet: true }])
  t.ok(isWell(step.state))
  const failing = judged('pff', muted).state
  t.strictSame(shown(elapse(failing, 9 * minute, rules()) as Told), ['2 FAILURE_REMAIN'], 'no longer muted')
})

t.test('a report that ended long before what was judged is history', async (t) => {
  const at = 10 * minute
  const { state } = advance(allWell, { level: 'failing', at, stoppedAt: at }, rules())
  const late = { level: 'passing' as const, at: at + 1000, stoppedAt: at - lateMs - 1 }
  t.strictSame(advance(state, late, rules()), { state, transitions: [] })
  const inTime = advance(state, { ...late, stoppedAt: at - lateMs }, rules())
  t.match(inTime.transitions, [{ alertType: 'ALERT_RECOVERY' }], 'reports of one moment come in any order')
})

t.test('a recovery knows whether a failure was told, or only a degradation', async (t) => {
  t.equal(judged('pdp', rules()).transitions.at(-1)?.afterFailure, false)
  t.equal(judged('pfdp', rules()).transitions.at(-1)?.afterFailure, true)
})
