/** P13: how many bytes a passing result takes, indexes included, where sites are unlike each other. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pino from 'pino'
import { createApp } from '../control-plane/create-app.ts'
import { packResultsTick } from '../control-plane/monitoring/results/pack-results.ts'
import { insertResults } from '../control-plane/monitoring/results/stored/insert-results.ts'
import { createCipher } from '../control-plane/platform/services/secrets/cipher.ts'
import type { Database } from '../control-plane/platform/store/database/db.ts'
import type { Engine } from '../control-plane/platform/store/database/engines.ts'
import { openDatabase } from '../control-plane/platform/store/database/open.ts'
import { change, selectRows } from '../control-plane/platform/store/database/raw-sql.ts'
import { readConfig } from '../control-plane/read-config.ts'
import type { WholeApp } from '../control-plane/whole-app.ts'
import { prepareStore } from '../test/support/prepare-store.ts'
import type { Bench, Row, Running } from './bench.ts'
import { grouped, rounded } from './support/numbers.ts'
import { durablePostgres } from './support/postgres.ts'
import { sized } from './support/size.ts'
import { resultOfSite, unlikeSites } from './support/unlike-results.ts'

const siteCount = sized(60, 6)
const runs = sized(720, 72)
const goal = 320
const beginsAt = Date.UTC(2026, 0, 1)
const minuteMs = 60_000

const newDatabase = async (b: Running, engine: Engine['name']): Promise<string> => {
  if (engine === 'sqlite') {
    const folder = await mkdtemp(join(tmpdir(), 'watchpost-bench-'))
    b.teardown(() => rm(folder, { recursive: true, force: true }))
    return `sqlite:${join(folder, 'watchpost.db')}`
  }
  // One of its own, which ends with the benchmark.
  return (await durablePostgres(b)).url
}

const appOver = (db: Database): WholeApp => {
  const now = () => beginsAt + 30 * 3_600_000
  return createApp({
    config: readConfig({}),
    db,
    log: pino({ level: 'silent' }),
    cipher: createCipher([randomBytes(32)], randomBytes),
    clock: { now, monotonic: () => performance.now(), sleep: async () => undefined },
  })
}

/** Of the tables whose names are like it. */
const bytesOf = async (db: Database, like: string): Promise<number> => {
  const [row] = await selectRows<{ bytes: number | null }>(
    db,
    db.engine.name === 'sqlite'
      ? sql`select sum(s.pgsize) as bytes from dbstat s join sqlite_master m on m.name = s.name
          where m.tbl_name like ${like} escape '~'`
      : sql`select sum(pg_total_relation_size(oid)) as bytes from pg_class
          where relkind = 'r' and relname like ${like} escape '~' and relnamespace = 'public'::regnamespace`,
  )
  return Number(row?.bytes ?? 0)
}

/** PostgreSQL's own background work, done now. */
const vacuum = async (db: Database): Promise<void> => {
  if (db.engine.name === 'postgres') await change(db, sql`vacuum analyze`)
}

const measure = async (b: Running, engine: Engine['name']): Promise<Row> => {
  const db = openDatabase(await newDatabase(b, engine))
  b.teardown(() => db.close())
  await prepareStore(db, beginsAt)
  const sites = unlikeSites(siteCount)
  let documents = 0
  for (let run = 0; run < runs; run++) {
    const results = sites.map((site) => resultOfSite(site, beginsAt + run * minuteMs, run))
    documents += results.reduce((sum, { doc }) => sum + doc.length, 0)
    await db.transaction((trx) => insertResults(trx, results))
  }
  const count = siteCount * runs
  const document = documents / count
  const cpuBefore = process.cpuUsage()
  await packResultsTick(appOver(db), new AbortController().signal)
  const { user, system } = process.cpuUsage(cpuBefore)
  await vacuum(db)
  const parts: Record<string, number> = {}
  for (const part of ['rows', 'docs', 'blocks', 'details'])
    parts[`${part}Bytes`] = (await bytesOf(db, `result~_${part}~_%`)) / count
  const now = Object.values(parts).reduce((a, c) => a + c, 0)
  b.say(`${engine}: ${JSON.stringify(parts)}`)
  return {
    name: `P13 ${engine}`,
    work: `${grouped(count)} passing results of ${siteCount} unlike sites, ${Math.round(document)} B of document each`,
    ours: `${Math.round(now)} B a result`,
    against: `${Math.round(document)} B of document`,
    ratio: `${rounded((100 * now) / document)} %`,
    goal: `≤ ${goal} B`,
    met: now <= goal,
    numbers: { ...parts, bytes: now, documentBytes: document, packCpuMicroseconds: (user + system) / count },
    notes: [],
  }
}

export const rowSize: Bench = {
  id: 'P13',
  name: 'p13-row-size',
  measures:
    'bytes of a passing result with its indexes once its hour is packed, beside its document as it came in, of unlike sites (URL, API, TCP, DNS)',
  run: async (b) => [await measure(b, 'sqlite'), await measure(b, 'postgres')],
}
