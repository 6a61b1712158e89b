// Runs on both engines in test:all: each engine has a catalogue of its own.
/** What `watchpost store` tells of a store with old results, on both engines. */
import { resolve } from 'node:path'
import t from 'tap'
import type { Context } from '../../../control-plane/admin/command.ts'
import { store } from '../../../control-plane/admin/store.ts'
import { testApp } from '../../support/app.ts'
import { engineNames } from '../../support/databases.ts'
import { dayMs, resultAt, storeRows } from '../../support/retention-rows.ts'

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
    // PostgreSQL counts a moment later.
    if (engine === 'sqlite') {
      for (const name of ['result_rows', 'result_docs']) {
        t.match(
          tables.find((table) => table.name === name),
          { rows: 301 },
        )
        t.match(
          lines.find((line) => line.trim().startsWith(`${name} `)),
          /301 rows in 2 tables\s+about [\d.]+ MB/,
        )
      }
    }
    t.ok(
      lines.some((line) => line.trim().startsWith('artifact-usage ')),
      'every kind has its line',
    )
  })
