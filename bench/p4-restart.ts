/** P4: the control plane is killed and comes back. */
import { setTimeout as sleep } from 'node:timers/promises'
import { allRows } from '../test/support/all-results.ts'
import { isSettled, readLedger } from '../test/support/ledger.ts'
import {
  endsWith,
  listening,
  scratchFolder,
  spawnAgent,
  spawnControlPlane,
} from '../test/support/programs.ts'
import { closedPort } from '../test/support/servers.ts'
import type { Bench } from './bench.ts'
import { browsers, countResults } from './support/installation.ts'
import { rounded } from './support/numbers.ts'
import { createChecks, openStore } from './support/prepare.ts'
import { sized } from './support/size.ts'
import { startTarget } from './support/targets.ts'
import { until } from './support/wait.ts'

const checks = sized(1000, 10)
const periodMs = sized(20_000, 5000)
const downMs = sized(5000, 500)
/** A check whose slot had just passed when the control plane was up again starts a whole interval later, as late as P2 allows. */
const latenessMs = 20

export const restart: Bench = {
  id: 'P4',
  name: 'p4-restart',
  measures: `kill -9 of a control plane with ${checks} checks at 20 s, ${downMs / 1000} s of absence, start: how long until every check has run again, and whether every due time is a FINAL result or a missed run`,
  run: async (b) => {
    const folder = await scratchFolder(b)
    // The address stays the same across the restart, as it would for an operator.
    const dataDir = `${folder}/data`
    const env = { PORT: String(await closedPort()) }
    const first = await listening(endsWith(b, spawnControlPlane({ dataDir, env })))
    const db = openStore(b, `sqlite:${dataDir}/watchpost.db`)
    const target = await startTarget(b, 'http')
    await createChecks(db, checks, (index) => ({
      name: `check ${index}`,
      request: { url: `${target}/` },
      frequency: 0,
      frequencyOffset: 20,
    }))
    endsWith(b, spawnAgent({ url: first.url, spoolDir: `${folder}/spool`, browsers }))
    await until('the first run of every check', { everyMs: 100, withinMs: 120_000 }, async () => {
      return (await countResults(db)) >= checks
    })
    await sleep(periodMs / 2)
    await first.end('SIGKILL')
    await sleep(downMs)
    const startedAt = Date.now()
    await listening(endsWith(b, spawnControlPlane({ dataDir, env })))
    const upAt = Date.now()
    const end = upAt + periodMs
    await sleep(periodMs)
    await until('the end of what was due', { everyMs: 200, withinMs: 45_000 }, () => isSettled(db, end))
    const ledger = await readLedger(db, end)
    const after = (await allRows(db)).filter(({ started_at }) => started_at >= upAt)
    const firstRuns = [...Map.groupBy(after, ({ check_id }) => check_id).values()].map((runs) => ({
      ran_at: Math.min(...runs.map(({ started_at }) => started_at)),
    }))
    const slowest = Math.max(...firstRuns.map(({ ran_at }) => ran_at - upAt))
    const unrecorded = ledger.lost.length + ledger.doubled.length + ledger.unexpected.length
    const allInTime = firstRuns.length === checks && slowest <= periodMs + latenessMs
    return [
      {
        name: 'P4',
        work: `restart with ${checks} checks at 20 s`,
        ours: `all ran within ${rounded(slowest / 1000, 2)} s, ${unrecorded} unrecorded`,
        against: `one interval, ${periodMs / 1000} s`,
        ratio: `${rounded((100 * slowest) / periodMs)} %`,
        goal: 'within one interval, 0 unrecorded skips',
        met: allInTime && unrecorded === 0,
        numbers: {
          startMs: upAt - startedAt,
          checksThatRan: firstRuns.length,
          slowestMs: slowest,
          due: ledger.due,
          results: ledger.results,
          missed: ledger.missed,
          lost: ledger.lost.length,
          doubled: ledger.doubled.length,
          unexpected: ledger.unexpected.length,
        },
        notes: [
          `${ledger.due} due times: ${ledger.results} results, ${ledger.missed} missed runs (${
            Object.entries(ledger.missedByReason)
              .map(([reason, count]) => `${count} ${reason}`)
              .join(', ') || 'none'
          }); serving again ${upAt - startedAt} ms after the start`,
        ],
      },
    ]
  },
}
