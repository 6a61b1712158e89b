/**
 * Promises 1 to 3 under `kill -9`: every due time of an active check ends as exactly one FINAL result or exactly one
 * missed run, a result is accepted once, and what was acknowledged is there afterwards. Several installations side by
 * side, each with its own control plane and agent, so that many kills fit into little time.
 *
 * TEST_SEED repeats a run's kills and pauses (not the machine's timing).
 */
import t, { type Test } from 'tap'
import { freshDatabaseUrl } from '../support/databases.ts'
import { type KillRound, type Outcome, runKillRound } from '../support/kill-round.ts'
import { byLength, runsIn } from '../support/length.ts'
import { seed, seedNote } from '../support/seed.ts'
import { httpServer } from '../support/servers.ts'

/** On SQLite, beside one on PostgreSQL. */
const installations = byLength({ short: 1, all: 1, long: 3 })

const options: Omit<KillRound, 'seed' | 'databaseUrl' | 'targetUrl'> = {
  kills: byLength({ short: 5, all: 8, long: 17 }),
  checks: byLength({
    short: { before: 10, between: 5 },
    all: { before: 20, between: 10 },
    long: { before: 40, between: 20 },
  }),
  pauseMs: 1200,
  calmMs: 3000,
  settleWithinMs: 200_000,
}

const seconds = (durationMs: number): string => `${Math.round(durationMs / 1000)} s`

const report = (t: Test, { tookMs, killed, created, ledger, acknowledged, attempts }: Outcome): void => {
  const reasons = Object.entries(ledger.missedByReason).map(([reason, count]) => `${count} ${reason}`)
  t.comment(
    `${killed.controlPlane} kills of the control plane and ${killed.agent} of the agent; ${created.length} checks ` +
      `acknowledged; ${ledger.due} due times: ${ledger.results} results, ${ledger.missed} missed runs ` +
      `(${reasons.join(', ') || 'none'}); ${acknowledged} results acknowledged, ${attempts} of them retried; ` +
      `kills ${seconds(tookMs.kills)}, until settled ${seconds(tookMs.settling)}, recount ${seconds(tookMs.recount)}`,
  )
}

const judge = (t: Test, outcome: Outcome): void => {
  report(t, outcome)
  const { ledger } = outcome
  t.strictSame(ledger.lost, [], 'every due time is accounted for')
  t.strictSame(ledger.doubled, [], 'none is accounted for twice')
  t.strictSame(ledger.unexpected, [], 'nothing ran that was not due')
  t.equal(ledger.results + ledger.missed, ledger.due)
  t.strictSame(outcome.lostChecks, [], 'every check that was answered with 201 is there')
  t.strictSame(outcome.lostResults, [], 'every result that was acknowledged is there')
  t.strictSame(outcome.acceptedTwice, [], 'no result was accepted twice')
  t.strictSame(outcome.differsInApi, [], 'the API shows every stored result once')
  t.ok(ledger.results > 0, 'and results there were')
}

t.comment(seedNote)
t.jobs = installations + 1
t.test('the promises hold under kill -9 of either program', { jobs: installations + 1 }, async (t) => {
  // One answer in five is an error: those runs are retried, between the kills and across them.
  let answers = 0
  const target = await httpServer(t, (_request, response) => {
    answers += 1
    response.statusCode = answers % 5 === 0 ? 500 : 200
    response.end('ok')
  })
  const one = (name: string, round: Partial<KillRound> & { seed: number; databaseUrl: string | null }) =>
    t.test(`${name}, seed ${round.seed}`, async (t) =>
      judge(t, await runKillRound(t, { ...options, targetUrl: `${target.origin}/`, ...round })),
    )
  const rounds = Array.from({ length: installations }, (_, index) =>
    one(`SQLite ${index + 1}`, { seed: seed + index, databaseUrl: null }),
  )
  if (runsIn('all'))
    rounds.push(
      one('PostgreSQL', {
        seed: seed + installations,
        databaseUrl: await freshDatabaseUrl(t, 'postgres'),
        kills: 8,
        checks: { before: 20, between: 10 },
      }),
    )
  await Promise.all(rounds)
})
