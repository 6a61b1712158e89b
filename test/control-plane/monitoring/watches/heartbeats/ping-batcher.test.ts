// Runs on both engines in test:all: rows that are there already are changed instead.
import t from 'tap'
import { syncHeartbeat } from '../../../../../control-plane/monitoring/schedule/heartbeat.ts'
import {
  createPingBatcher,
  pingBatcher,
} from '../../../../../control-plane/monitoring/watches/heartbeats/ping-batcher.ts'
import type { Database } from '../../../../../control-plane/platform/store/database/db.ts'
import type { StatementWatch } from '../../../../../control-plane/platform/store/database/statement-watch.ts'
import type { WholeApp } from '../../../../../control-plane/whole-app.ts'
import { allResults } from '../../../../support/all-results.ts'
import { testApp } from '../../../../support/app.ts'
import { engineNames, freshDatabase } from '../../../../support/databases.ts'
import { storeCheck } from '../../../../support/stored-results.ts'

const minute = { period: 1, periodUnit: 'minutes', grace: 1, graceUnit: 'minutes' } as const

const addHeartbeat = async (
  app: WholeApp,
  accountId: string,
): Promise<{ checkId: string; token: string }> => {
  const checkId = await storeCheck({ app, accountId }, { type: 'HEARTBEAT' })
  const token = app.newId()
  const heartbeat = { ...minute, pingToken: token }
  const saved = { checkId, accountId, activated: true, heartbeat, now: app.clock.now() }
  await app.db.transaction((trx) => syncHeartbeat(trx, saved))
  return { checkId, token }
}

for (const engine of engineNames) {
  t.test(
    `pings of one batch are taken in their order, and the last one sets the timer (${engine})`,
    async (t) => {
      const { app, accountId } = await testApp(t, { engine })
      const one = await addHeartbeat(app, accountId)
      const other = await addHeartbeat(app, accountId)
      const start = app.clock.now()
      const ping = (token: string, afterMs: number) =>
        pingBatcher(app).take({ token, now: start + afterMs, id: app.newId(), source: null, userAgent: null })
      const taken = await Promise.all([
        ping(one.token, 0),
        ping(other.token, 1),
        ping(one.token, 1000),
        ping(app.newId(), 1000),
        ping(one.token, 63_000),
        ping(one.token, 63_000),
      ])
      const states = taken.map((one) => one?.state)
      t.strictSame(states, ['RECEIVED', 'RECEIVED', 'EARLY', undefined, 'RECEIVED', 'EARLY'])
      const timers = await app.db.select((k) => k.selectFrom('heartbeats').selectAll().orderBy('check_id'))
      t.match(
        timers.find(({ check_id }) => check_id === one.checkId),
        { state: 'running', last_ping_at: start + 63_000, deadline_at: start + 183_000 },
      )
      const statuses = await app.db.select((k) => k.selectFrom('check_statuses').selectAll())
      t.strictSame(
        statuses.map(({ check_id, state, last_started_at }) => [check_id, state, last_started_at]).sort(),
        [
          [one.checkId, 'passing', start + 63_000],
          [other.checkId, 'passing', start + 1],
        ].sort(),
      )
    },
  )

  t.test(`a ping that cannot be stored spoils no other (${engine})`, async (t) => {
    const { app, accountId } = await testApp(t, { engine })
    const { token } = await addHeartbeat(app, accountId)
    const pings = createPingBatcher(app.db, { newId: app.newId, publish: app.finishedRuns.publish })
    const now = app.clock.now()
    const taken = app.newId()
    const ids = [taken, app.newId(), taken, app.newId()]
    const settled = await Promise.allSettled(
      ids.map((id) => pings.take({ token, now, id, source: null, userAgent: null })),
    )
    t.strictSame(settled.map(({ status }) => status).sort(), [
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
    ])
    const rows = await allResults(app.db)
    t.strictSame(rows.map(({ id }) => id).sort(), [...new Set(ids)].sort())
    const after = await pings.take({ token, now, id: app.newId(), source: null, userAgent: null })
    t.equal(after?.state, 'EARLY', 'and those that come later are taken')
  })

  t.test(`pings that come before a transaction begins share it (${engine})`, async (t) => {
    const { app, accountId } = await testApp(t, { engine })
    const { token } = await addHeartbeat(app, accountId)
    const asked = Promise.withResolvers<void>()
    const mayBegin = Promise.withResolvers<void>()
    let transactions = 0
    const transaction: Database['transaction'] = async (work) => {
      transactions += 1
      asked.resolve()
      await mayBegin.promise
      return app.db.transaction(work)
    }
    const pings = createPingBatcher(
      { ...app.db, transaction },
      { newId: app.newId, publish: app.finishedRuns.publish },
    )
    const now = app.clock.now()
    const ping = () => pings.take({ token, now, id: app.newId(), source: null, userAgent: null })
    const first = ping()
    await asked.promise
    const second = ping()
    mayBegin.resolve()
    t.strictSame(
      (await Promise.all([first, second])).map((taken) => taken?.state),
      ['RECEIVED', 'EARLY'],
    )
    t.equal(transactions, 1)
  })
}

t.test('a batch of many checks costs as many statements as one of two', async (t) => {
  const noted: string[] = []
  const watch: StatementWatch = { monotonic: () => 0, note: ({ name }) => noted.push(name ?? 'built') }
  const { app, accountId } = await testApp(t, { parts: { db: await freshDatabase(t, 'sqlite', watch) } })
  const beats: Array<{ token: string }> = []
  for (let n = 0; n < 40; n += 1) beats.push(await addHeartbeat(app, accountId))
  const now = app.clock.now()
  const batch = (count: number, after: number) =>
    Promise.all(
      beats.slice(0, count).map(({ token }, n) =>
        pingBatcher(app).take({
          token,
          now: now + after + n,
          id: app.newId(),
          source: null,
          userAgent: null,
        }),
      ),
    )
  const asked = async (count: number, after: number): Promise<string[]> => {
    noted.length = 0
    await batch(count, after)
    // SQLite takes each row of a result by itself: there it is no way there and back.
    return noted.filter((name) => !name.startsWith('insert-into-result_')).sort()
  }
  // Then they are well, and their numbers are known.
  await batch(40, 0)
  const few = await asked(2, 1000)
  t.ok(few.includes('move-heartbeat-timers'), 'timers are moved')
  t.strictSame(await asked(40, 2000), few)
})
