// Runs in test:all only: it fills a store with twenty thousand rows.
// Runs on both engines in test:all: each engine has a catalogue of its own.
/** What `watchpost store` tells of a store with old results, on both engines. */
import { resolve } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import type { Context } from '../../../control-plane/admin/command.ts'
import { store } from '../../../control-plane/admin/store.ts'
import { tableSizes } from '../../../control-plane/admin/table-sizes.ts'
import { writeRollups } from '../../../control-plane/monitoring/results/rollups/queries.ts'
import { spaceOf } from '../../../control-plane/platform/store/database/space.ts'
import { testApp } from '../../support/app.ts'
import { engineNames } from '../../support/databases.ts'
import { dayMs, resultAt, storeRows } from '../../support/retention-rows.ts'
import { countAll, takeIn } from '../../support/rollups.ts'
import { storeCheck } from '../../support/stored-results.ts'

for (const engine of engineNames)
  t.test(`what takes how much, and what goes next (${engine})`, async (t) => {
    const { app, advance } = await testApp(t, { engine })
    advance(41 * dayMs)
    const now = app.clock.now()
    const checkId = app.newId()
    const old = Array.from({ length: 300 }, (_, n) => resultAt(now - 40 * dayMs + n, checkId))
    await storeRows(app.db, { results: [...old, resultAt(now - dayMs, checkId)] })
    const context: Context = {
      config: app.config,
      open: async () => app,
      keys: () => [],
      now: () => now,
      randomBytes: (size) => app.randomBytes(size),
      sleep: async () => undefined,
      progress: () => undefined,
      file: (path) => resolve(path),
    }
    const { lines, json } = await store.run(context, { positionals: [], values: {}, switches: new Set() })
    const { kinds, tables, usedBytes } = json as {
      kinds: { name: string }[]
      tables: { name: string; rows: number; bytes: number }[]
      usedBytes: number
    }
    t.ok(usedBytes > 0)
    t.match(
      kinds.find(({ name }) => name === 'results'),
      {
        setting: 'RETENTION_RESULTS_DAYS',
        days: 30,
        oldestAt: /^2026-01-02T/,
        ...(engine === 'sqlite' ? { next: 300 } : {}),
      },
    )
    t.match(
      kinds.find(({ name }) => name === 'alerts'),
      { oldestAt: null, next: 0 },
    )
    // PostgreSQL has the parents of its partitions, too.
    if (engine === 'sqlite') {
      for (const name of ['result_rows', 'result_docs']) {
        t.match(
          tables.find((table) => table.name === name),
          { rows: 301 },
        )
        t.match(
          lines.find((line) => line.trim().startsWith(`${name} `)),
          /301 rows in 2 tables\s+[\d.]+ MB/,
        )
      }
    }
    t.ok(
      lines.some((line) => line.trim().startsWith('artifact-usage ')),
      'every kind has its line',
    )
  })

for (const engine of engineNames)
  t.test(`rows and bytes of every table, beside the engine's own count (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const { app } = plane
    const checkIds = await Promise.all(Array.from({ length: 5 }, () => storeCheck(plane)))
    const now = app.clock.now()
    const runs = checkIds.flatMap((checkId) =>
      Array.from({ length: 900 }, (_, n) => ({
        checkId,
        at: now + n * 5 * 60_000,
        responseTime: 50 + (n % 90),
      })),
    )
    for (let at = 0; at < runs.length; at += 1000) await takeIn(plane, runs.slice(at, at + 1000))
    plane.advance(4 * dayMs)
    await countAll(app)
    // Rollups of many checks, as years leave them.
    await app.db.execute((k) => k.deleteFrom('result_rollups').where('check_number', '>', 1))
    const one = await app.db.select((k) => k.selectFrom('result_rollups').selectAll())
    for (let number = 2; one.length * number < 15_000 + one.length; number++)
      await writeRollups(
        app.db,
        one.map((row) => ({ ...row, check_number: number })),
      )
    const sizes = await tableSizes(app.db, () => undefined)
    t.ok((sizes.find(({ name }) => name === 'result_rollups')?.rows ?? 0) > 10_001)
    let bytes = 0
    for (const { name, rows, ...size } of sizes) {
      const [counted] = await app.db.select((k) =>
        k
          .selectFrom(sql`(select count(*) as n from ${sql.table(name)})`.as('c'))
          .select(sql<number>`n`.as('n')),
      )
      const n = Number(counted?.n ?? Number.NaN)
      t.ok(Math.abs(rows - n) <= n / 10, `${name} has ${n} rows, not ${rows}`)
      bytes += size.bytes
    }
    // Beside the tables a file has its schema; a database of PostgreSQL has its catalogue, too.
    const { usedBytes } = await spaceOf(app.db, [])
    if (engine === 'sqlite')
      t.ok(Math.abs(bytes - usedBytes) <= usedBytes / 10, `${bytes} of ${usedBytes} bytes`)
    else t.ok(bytes < usedBytes)
  })
