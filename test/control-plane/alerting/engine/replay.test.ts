// Runs in test:all only: it makes up hundreds of histories.
/** Promise 4 in the store: replaying the stored final results through the pure function gives the stored state. */
import t from 'tap'
import {
  advance,
  allWell,
  elapse,
  isWell,
  type Level,
} from '../../../../control-plane/alerting/engine/advance.ts'
import { escalationOf, remindersOf } from '../../../../control-plane/alerting/engine/alert-rules.ts'
import type { AlertStateDoc } from '../../../../control-plane/alerting/engine/alert-state-doc.ts'
import { alertStatesTick } from '../../../../control-plane/monitoring/watches/alert-states/alert-states-tick.ts'
import { type AlertRoom, alertRoom, type Letter } from '../../../support/alert-room.ts'
import { allResults } from '../../../support/all-results.ts'
import { engineNames } from '../../../support/databases.ts'
import { randomFrom } from '../../../support/random.ts'

const settings = [
  { runBasedEscalation: { failedRunThreshold: 1 }, reminders: { amount: 100_000, interval: 1 } },
  { runBasedEscalation: { failedRunThreshold: 3 }, reminders: { amount: 2, interval: 2 } },
  { escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold: 5 } },
]
const letters: Letter[] = ['p', 'p', 'f', 'f', 'f', 'd', 'c', 'x']

const replay = async ({ app }: AlertRoom, checkId: string, alertSettings: object) => {
  const rules = {
    escalation: escalationOf(alertSettings),
    reminders: remindersOf(alertSettings),
    muted: false,
    silences: [],
  }
  const rows = (await allResults(app.db))
    .filter((row) => row.check_id === checkId && row.result_type === 'FINAL')
    .filter((row) => !(row.has_errors || row.is_cancelled))
    .sort((a, b) => a.created_at - b.created_at)
  let state = allWell
  const told: string[] = []
  for (const row of rows) {
    const level: Level = row.has_failures ? 'failing' : row.is_degraded ? 'degraded' : 'passing'
    const step = advance(state, { level, at: row.created_at, stoppedAt: row.stopped_at }, rules)
    state = step.state
    told.push(...step.transitions.filter(({ reminder }) => reminder === 0).map(({ alertType }) => alertType))
  }
  const until = app.clock.now()
  const last = elapse(state, until, rules)
  told.push(...last.transitions.filter(({ reminder }) => reminder === 0).map(({ alertType }) => alertType))
  const row = await app.db.select((k) =>
    k.selectFrom('alert_states').select('doc').where('check_id', '=', checkId),
  )
  const stored = row[0]
    ? elapse((JSON.parse(row[0].doc) as AlertStateDoc).state, until, rules).state
    : allWell
  return { replayed: last.state, stored, told, results: rows.length }
}

for (const engine of engineNames)
  t.test(`random runs, replayed from what is stored (${engine})`, async (t) => {
    const seed = 20_260_101
    const random = randomFrom(seed)
    const runs = engine === 'sqlite' ? 60 : 20
    let results = 0
    let alerts = 0
    for (const alertSettings of settings) {
      const room = await alertRoom(t, engine)
      const checkId = await room.addCheck({ useGlobalAlertSettings: false, alertSettings })
      for (let run = 0; run < runs; run++) {
        await room.run(letters[Math.floor(random() * letters.length)] ?? 'p')
        if (random() < 0.5) {
          room.advance(Math.floor(random() * 8000))
          await alertStatesTick(room.app)
        }
        const now = await replay(room, checkId, alertSettings)
        if (isWell(now.replayed)) t.equal(isWell(now.stored), true)
        else t.strictSame(now.stored, { ...now.replayed, judgedUpTo: now.stored.judgedUpTo })
      }
      const { told, results: stored } = await replay(room, checkId, alertSettings)
      const recorded = await room.app.db.select((k) =>
        k.selectFrom('alert_notifications as n').select('n.id').where('n.check_id', '=', checkId),
      )
      t.strictSame(recorded, [], 'no channel, no notification')
      const events = (await room.alertTypes(checkId)).map((type) => `ALERT_${type}`)
      t.ok(events.length >= told.length, 'reminders come on top')
      results += stored
      alerts += events.length
    }
    t.comment(`${results} results replayed, ${alerts} alerts`)
    t.ok(alerts > 0)
  })
