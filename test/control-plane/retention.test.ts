/** What retention removes and keeps is what a plain model says, whatever the ages, on both engines. */
import t from 'tap'
import { sweepArtifactsTick } from '../../control-plane/monitoring/artifacts/sweep-artifacts.ts'
import { retentionTick } from '../../control-plane/platform/retention/retention-tick.ts'
import { retentionKinds } from '../../control-plane/retention.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { engineNames } from '../support/databases.ts'
import { randomFrom } from '../support/random.ts'
import { dayMs, modelOf, type Rows, randomRows, storeRows } from '../support/retention-rows.ts'

t.setTimeout(300_000)

const tick = retentionTick(retentionKinds)
const stays = new AbortController().signal
const hour = 3_600_000

const env = {
  RETENTION_RESULTS_DAYS: '20',
  RETENTION_SESSIONS_DAYS: '31',
  RETENTION_NOTIFICATIONS_DAYS: '60',
  RETENTION_ANALYSES_DAYS: '45',
}

const idsOf = async ({ app }: TestApp, table: keyof Rows): Promise<string[]> => {
  const key = table === 'artifacts' ? 'result_id' : table === 'alert_states' ? 'check_id' : 'id'
  const rows = await app.db.select<Record<string, string>>(
    (k) => k.selectFrom(table).select(key as never) as never,
  )
  return rows.map((row) => row[key] ?? '').sort()
}

const differences = async (plane: TestApp, rows: Rows): Promise<Record<string, unknown>> => {
  const model = modelOf(rows, { retention: plane.app.config.retention, now: plane.app.clock.now() })
  const found: Record<string, unknown> = {}
  for (const table of Object.keys(model) as (keyof Rows)[]) {
    const left = await idsOf(plane, table)
    const wrong = {
      shouldBeThere: model[table].filter((id) => !left.includes(id)),
      shouldBeGone: left.filter((id) => !model[table].includes(id)),
    }
    if (wrong.shouldBeThere.length + wrong.shouldBeGone.length > 0) found[table] = wrong
  }
  return found
}

for (const engine of engineNames)
  for (const seed of [1, 2, 3])
    t.test(`what is left is what the model keeps: seed ${seed} (${engine})`, async (t) => {
      const plane = await testApp(t, { engine, env })
      const random = randomFrom(seed)
      const dice = { below: (n: number) => Math.floor(random() * n) }
      const checkIds = Array.from({ length: 8 }, () => plane.app.newId())
      const rows = randomRows({ dice, now: plane.app.clock.now(), checkIds })
      await storeRows(plane.app.db, rows)
      await tick(plane.app, stays)
      await sweepArtifactsTick(plane.app)
      t.strictSame(await differences(plane, rows), {})
      // Time goes on, and with it what is over.
      for (const days of [9, 40]) {
        plane.advance(days * dayMs)
        await tick(plane.app, stays)
        await sweepArtifactsTick(plane.app)
        t.strictSame(await differences(plane, rows), {}, `${days} days later`)
      }
    })

t.test('a turn comes once an hour', async (t) => {
  const plane = await testApp(t)
  const turns = () =>
    plane.app.db.select<{ begun_at: number }>((k) => k.selectFrom('retention_turns').selectAll() as never)
  await tick(plane.app, stays)
  const [first] = await turns()
  plane.advance(hour - 1)
  await tick(plane.app, stays)
  t.strictSame((await turns())[0], first)
  plane.advance(1)
  await tick(plane.app, stays)
  t.equal((await turns())[0]?.begun_at, plane.app.clock.now())
})
