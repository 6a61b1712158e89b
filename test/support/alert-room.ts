/** A real API with a check that is run by hand: each call is the check's next due time, reported by an agent. */
import type { Test } from 'tap'
import { claimJobs } from '../../control-plane/monitoring/runs/claim-jobs.ts'
import { intakeReports } from '../../control-plane/monitoring/runs/intake.ts'

import { sweepTick } from '../../control-plane/monitoring/runs/sweep.ts'
import { scheduleTick } from '../../control-plane/monitoring/schedule/schedule.ts'
import type { Engine } from '../../control-plane/platform/store/database/engines.ts'
import type { WholeApp } from '../../control-plane/whole-app.ts'
import type { Job } from '../../protocol/job.ts'
import type { Failure, Report } from '../../protocol/result.ts'
import { type TestApp, testApp } from './app.ts'
import { claimRequest, passingReport } from './engine-room.ts'

/** `p`asses, is `d`egraded, `f`ails, `c`annot be run, is cancelled (`x`). */
export type Letter = 'p' | 'd' | 'f' | 'c' | 'x'

export const refused: Failure = { code: 'ECONNREFUSED', message: 'The connection was refused', network: true }

export type AlertRoom = TestApp & {
  /** Once a minute, without retries, unless told otherwise; returns its id. */
  addCheck(body?: object): Promise<string>
  /** An e-mail channel without subscriptions of its own; returns its id. */
  addChannel(body?: object): Promise<number>
  claim(location?: string): Promise<Job[]>
  report(jobs: readonly Job[], letter: Letter, failure?: Failure): Promise<void>
  /** All in one batch, to another control plane of the same store. */
  reportTogether(app: WholeApp, jobs: readonly Job[], letter: Letter): Promise<void>
  /** The same one by one. */
  reportTo(app: WholeApp, jobs: readonly Job[], letter: Letter, failure?: Failure): Promise<void>
  /** One due time after the other, about a minute apart, each in one location; the clock stands where the last was run. */
  run(letters: string): Promise<void>
  alertTypes(checkId: string): Promise<string[]>
  /** `channel alert-type` of every notification, oldest first. */
  notified(): Promise<string[]>
}

export const alertRoom = async (
  t: Test,
  engine: Engine['name'],
  env: Record<string, string> = {},
): Promise<AlertRoom> => {
  const test = await testApp(t, { engine, env })
  const { app, locationId, call } = test
  const claim = (location = locationId) =>
    claimJobs(app, { location, agent: claimRequest({ agentId: `agent-${location}` }) })
  const reportTogether = async (
    to: WholeApp,
    jobs: readonly Job[],
    letter: Letter,
    failure = refused,
  ): Promise<void> => {
    const now = app.clock.now()
    const done = jobs.map((job) => ({
      ...passingReport(job, now),
      stoppedAt: now,
      outcome: outcomeOf(job, letter, failure),
    }))
    const [first] = jobs
    const location = first === undefined || first.runLocation === 'local' ? locationId : first.runLocation
    for (const { outcome } of await intakeReports(to, location, done)) t.equal(outcome, 'accepted')
  }
  const reportTo = async (
    to: WholeApp,
    jobs: readonly Job[],
    letter: Letter,
    failure = refused,
  ): Promise<void> => {
    for (const job of jobs) await reportTogether(to, [job], letter, failure)
  }
  return {
    ...test,
    claim,
    report: (jobs, letter, failure) => reportTo(app, jobs, letter, failure),
    reportTo,
    reportTogether,
    addCheck: async (body = {}) => {
      const answer = await call('POST', '/v1/checks/url', { body: { ...urlCheck, ...body } })
      t.equal(answer.status, 201, answer.text)
      return answer.body.id
    },
    addChannel: async (body = {}) => {
      const config = { address: 'ops@example.com' }
      const answer = await call('POST', '/v1/alert-channels', { body: { type: 'EMAIL', config, ...body } })
      t.equal(answer.status, 201, answer.text)
      return answer.body.id
    },
    run: async (letters) => {
      for (const letter of letters) {
        let jobs = await claim()
        for (let waited = 0; jobs.length === 0 && waited < 15; waited++) {
          test.advance(10_000)
          await scheduleTick(app)
          await sweepTick(app)
          jobs = await claim()
        }
        t.equal(jobs.length, 1, 'one run is due')
        await reportTo(app, jobs, letter as Letter)
      }
    },
    alertTypes: async (checkId) =>
      (
        await app.db.select((k) =>
          k
            .selectFrom('check_alerts')
            .select('alert_type')
            .where('check_id', '=', checkId)
            .orderBy('created_at'),
        )
      ).map(({ alert_type }) => alert_type.replace('ALERT_', '')),
    notified: async () =>
      (
        await app.db.select((k) =>
          k
            .selectFrom('alert_notifications as n')
            .innerJoin('check_alerts as a', 'a.id', 'n.check_alert_id')
            .select(['n.channel_id', 'a.alert_type'])
            .orderBy('a.created_at')
            .orderBy('n.channel_id'),
        )
      ).map(({ channel_id, alert_type }) => `${channel_id} ${alert_type.replace('ALERT_', '')}`),
  }
}

const urlCheck = {
  name: 'Home page',
  request: { url: 'http://127.0.0.1:9/' },
  privateLocations: ['local'],
  frequency: 1,
  doubleCheck: false,
}

const outcomeOf = (job: Job, letter: Letter, failure: Failure): Report['outcome'] => {
  if (letter === 'x') return { kind: 'cancelled' }
  if (letter === 'c') return { kind: 'could-not-run', reason: 'The agent had no memory left' }
  const { outcome } = passingReport(job)
  if (outcome.kind !== 'observed') return outcome
  const observation = { ...outcome.observation, degraded: letter === 'd' }
  return { ...outcome, observation: letter === 'f' ? { ...observation, failure } : observation }
}
