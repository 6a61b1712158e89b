/** A control plane in this process over a store of its own, with months of runs of a few URL monitors in it. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { createApp } from '../../control-plane/create-app.ts'
import { insertCheck } from '../../control-plane/monitoring/definitions/checks/queries.ts'
import { insertResults } from '../../control-plane/monitoring/runs/result-queries.ts'
import { createCipher } from '../../control-plane/platform/services/secrets/cipher.ts'
import { migrate } from '../../control-plane/platform/store/database/migrate.ts'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import { readConfig } from '../../control-plane/read-config.ts'
import type { WholeApp } from '../../control-plane/whole-app.ts'
import { accountId } from '../../test/support/programs.ts'
import { randomFrom } from '../../test/support/random.ts'
import type { Running } from '../bench.ts'
import { filledLocations } from './fill-account.ts'

/** The clock stands at `now`; nothing rests, so that what is measured is work. */
export const appOver = async (b: Running, now: number): Promise<WholeApp> => {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-bench-'))
  b.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const db = openDatabase(`sqlite:${join(folder, 'watchpost.db')}`)
  b.teardown(() => db.close())
  await migrate(db, now)
  return createApp({
    config: readConfig({}),
    db,
    log: pino({ level: 'silent' }),
    cipher: createCipher([randomBytes(32)], randomBytes),
    clock: { now: () => now, monotonic: () => performance.now(), sleep: async () => {} },
  })
}

export const addMonitor = async (app: WholeApp): Promise<string> => {
  const id = app.newId()
  const doc = { name: 'site', frequency: 1, tags: [], muted: false, request: { url: 'http://127.0.0.1/' } }
  await app.db.run(insertCheck, {
    id,
    account_id: accountId,
    type: 'URL',
    name: 'site',
    activated: true,
    group_id: null,
    created_at: 0,
    doc: JSON.stringify(doc),
  })
  return id
}

type History = { checkId: string; from: number; to: number; everyMs: number }

const rowsAtOnce = 5000

/** From three locations in turn; response times are log-normal, one run in two hundred fails with another status, and the document is short. */
export const addRuns = async (app: WholeApp, { checkId, from, to, everyMs }: History): Promise<number> => {
  const random = randomFrom(everyMs)
  const tenths = (value: number) => Math.round(value * 10) / 10
  const rowAt = (at: number) => {
    const spread = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    const responseTime = tenths(180 * Math.exp(0.45 * spread))
    const metrics = {
      dns: tenths(responseTime / 20),
      tcp: tenths(responseTime / 9),
      firstByte: tenths(responseTime / 2),
    }
    const id = app.newId()
    const hasFailures = random() < 0.005
    return {
      id,
      accountId,
      checkId,
      checkType: 'URL',
      resultType: 'FINAL',
      location: filledLocations[Math.round(at / everyMs) % filledLocations.length] ?? 'local',
      dueAt: at,
      startedAt: at,
      stoppedAt: at + 200,
      now: at + 300,
      responseTime,
      hasFailures,
      hasErrors: false,
      isDegraded: false,
      isCancelled: false,
      overMax: false,
      attempts: 0,
      sequenceId: id,
      checkRunId: at,
      doc: JSON.stringify({
        name: 'site',
        error: null,
        metrics,
        apiCheckResult: { response: { status: hasFailures ? 503 : 200 } },
      }),
    }
  }
  let count = 0
  for (let at = from; at < to; ) {
    await app.db.transaction(async (trx) => {
      const rows = []
      for (; rows.length < rowsAtOnce && at < to; at += everyMs) rows.push(rowAt(at))
      await insertResults(trx, rows)
      count += rows.length
    })
  }
  return count
}
