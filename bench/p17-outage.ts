/** P17: monitoring goes on while the control plane is away, and the drain holds up nobody when it is back. */
import type { Bench } from './bench.ts'
import { grouped, rounded } from './support/numbers.ts'
import { installForOutage, unaccounted } from './support/outage.ts'
import { sized } from './support/size.ts'

const checks = sized(2000, 20)
const periodSeconds = sized(60, 10)
/** P17_OUTAGE_SECONDS: another length, such as 1800. */
const awaySeconds = Number(process.env['P17_OUTAGE_SECONDS'] ?? sized(90, 20))

export const outage: Bench = {
  id: 'P17',
  name: 'p17-outage',
  measures: `kill -9 of a control plane with ${checks} checks at ${periodSeconds} s, three agents of one location and one of another, ${awaySeconds} s of absence, start: how many of the due times in between were run, how fast late results come in, and how long a live one waits from its end until it is stored while they do`,
  run: async (b) => {
    const installation = await installForOutage(b, { checks, periodSeconds })
    const { ledger, ...figures } = await installation.away(awaySeconds * 1000)
    const { due, run, late, drainMs, live, liveP50Ms, liveP99Ms } = figures
    const coverage = (100 * run) / due
    const rate = late / (Math.max(1, drainMs) / 1000)
    const wrong = unaccounted(ledger)
    return [
      {
        name: 'P17',
        work: `${awaySeconds} s without a control plane, ${checks} checks at ${periodSeconds} s`,
        ours: `${rounded(coverage, 2)} % of due times run, ${wrong} unrecorded; live p99 ${liveP99Ms} ms`,
        against: 'every due time; 1 s',
        ratio: `${rounded(liveP99Ms / 10)} %`,
        goal: '100 % of due times, live p99 ≤ 1 s while draining',
        met: run === due && wrong === 0 && liveP99Ms <= 1000,
        numbers: {
          ...figures,
          coveragePercent: rounded(coverage, 3),
          drainPerSecond: rounded(rate),
          unrecorded: wrong,
        },
        notes: [
          `${grouped(due)} due times in the outage, ${grouped(run)} run; ${grouped(late)} late results in ${rounded(drainMs / 1000, 1)} s (${rounded(rate)} a second); ` +
            `${grouped(live)} live ones beside them: p50 ${liveP50Ms} ms, p99 ${liveP99Ms} ms`,
        ],
      },
    ]
  },
}
