import t from 'tap'
import {
  type AlertRules,
  allWell,
  type JudgedRun,
  type Level,
} from '../../../../control-plane/alerting/engine/advance.ts'
import { advancePast } from '../../../../control-plane/alerting/engine/advance-past.ts'
import { fc } from '../../../support/fast-check.ts'

const rules: AlertRules = {
  escalation: { runs: 1 },
  reminders: { amount: 0, intervalMs: 60_000 },
  muted: false,
  silences: [],
}

const minute = 60_000
const runsOf = (levels: readonly Level[]): JudgedRun[] =>
  levels.map((level, n) => ({ level, at: (n + 1) * minute, stoppedAt: (n + 1) * minute }))

const typesOf = (levels: readonly Level[], more: Partial<AlertRules> = {}, now = 100 * minute) => {
  const { transitions, over } = advancePast(allWell, {
    runs: runsOf(levels),
    told: null,
    now,
    rules: { ...rules, ...more },
  })
  return { told: transitions.map(({ alertType }) => alertType), over }
}

t.test('what still fails is told once, about now, with its beginning', (t) => {
  const { transitions, over, state } = advancePast(allWell, {
    runs: runsOf(['passing', 'failing', 'failing']),
    told: null,
    now: 100 * minute,
    rules,
  })
  t.match(transitions, [{ alertType: 'ALERT_FAILURE_REMAIN', at: 100 * minute, failingSince: 2 * minute }])
  t.equal(transitions.length, 1)
  t.strictSame(over, [])
  t.equal(state.told, 'failing')
  t.end()
})

t.test('what is over is history and nobody is told', (t) => {
  t.strictSame(typesOf(['passing', 'failing', 'degraded', 'passing', 'passing']), {
    told: [],
    over: [{ level: 'failing', from: 2 * minute, to: 4 * minute }],
  })
  t.strictSame(
    typesOf(['failing', 'passing'], { escalation: { runs: 2 } }),
    { told: [], over: [] },
    'below its threshold',
  )
  t.strictSame(typesOf(['failing', 'passing'], { muted: true }), { told: [], over: [] }, 'of a muted check')
  t.end()
})

t.test('what people believed before is put right', (t) => {
  const told = {
    ...allWell,
    level: 'failing',
    told: 'failing',
    failureTold: true,
    failingSince: 1,
    openedAt: 1,
    at: 1,
  } as const
  const { transitions, over } = advancePast(told, {
    runs: runsOf(['failing', 'passing']),
    told: null,
    now: 100 * minute,
    rules,
  })
  t.match(transitions, [{ alertType: 'ALERT_RECOVERY' }])
  t.strictSame(over, [])
  t.end()
})

t.test('what an agent has told meanwhile is not told again, and what follows from it follows', (t) => {
  const past = { runs: runsOf(['failing']), now: 100 * minute, rules }
  t.match(advancePast(allWell, { ...past, told: 'failing' }).transitions, [
    { alertType: 'ALERT_FAILURE', quiet: true },
  ])
  t.match(advancePast(allWell, { ...past, told: 'degraded' }).transitions, [{ quiet: false }])
  t.end()
})

t.test('maintenance that lasts now keeps it back as ever', (t) => {
  const silences = [{ from: 0, to: 200 * minute }]
  t.strictSame(typesOf(['failing'], { silences }).told, [])
  t.end()
})

t.test('at most one thing is told, and it is about the last run', (t) => {
  const level = fc.constantFrom<Level>('passing', 'degraded', 'failing')
  fc.assert(
    fc.property(
      fc.array(level, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 3 }),
      (levels, runs) => {
        const { told, over } = typesOf(levels, { escalation: { runs } })
        t.ok(told.length <= 1)
        if (runs === 1) t.equal(told.length, levels.at(-1) === 'passing' ? 0 : 1)
        for (const { from, to } of over) t.ok(from < to)
      },
    ),
  )
  t.end()
})
