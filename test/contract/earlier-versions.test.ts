/** Agents and control planes one minor version apart work together: what the earlier ones said is said again to today's. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { presenceTick } from '../../control-plane/monitoring/locations/agents/agent-presence.ts'
import { scheduleTick } from '../../control-plane/monitoring/schedule/schedule.ts'
import { controlPlaneVersion } from '../../control-plane/platform/settings/config.ts'
import {
  agentPaths,
  type ClaimRequest,
  type ClaimResponse,
  type ReportResponse,
} from '../../protocol/agent-api.ts'
import { suiteEngines } from '../../protocol/checks/playwright-spec.ts'
import type { Job } from '../../protocol/job.ts'
import type { Report } from '../../protocol/result.ts'
import { runtimeIds } from '../../protocol/runtime.ts'
import { testApp } from '../support/app.ts'
import { accountedFor } from '../support/engine-room.ts'
import {
  atPorts,
  attempts,
  createChecks,
  type Exchanges,
  pathsOf,
  post,
  targets,
} from '../support/exchanges.ts'

const folder = new URL('../fixtures/exchanges/', import.meta.url)
const minorOf = (version: string): number => Number(version.split('.')[1])
const recorded = readdirSync(folder)
  .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Exchanges)
  .filter(({ version }) => minorOf(controlPlaneVersion) - minorOf(version) <= 1)

t.ok(recorded.length > 0, 'there is something to replay')

for (const earlier of recorded) {
  t.test(`an agent of ${earlier.version} and this control plane`, async (t) => {
    const plane = await testApp(t)
    const ports = await targets(t)
    await createChecks(plane, ports)
    const { claim, report } = atPorts(earlier, ports)
    const claimed = await post<ClaimResponse>(plane, agentPaths.claim, claim.request)
    t.equal(claimed.jobs.length, claim.response.jobs.length)
    for (const job of claimed.jobs) {
      const before = claim.response.jobs.find(({ checkType }) => checkType === job.checkType)
      const now = new Set(pathsOf(job))
      t.strictSame(
        pathsOf(before).filter((path) => !now.has(path)),
        [],
        `a job of type ${job.checkType} still says all that it said`,
      )
    }
    const reports = reportsOf(claimed.jobs, { claim, report })
    const { outcomes } = await post<ReportResponse>(plane, agentPaths.report, { ...report.request, reports })
    t.strictSame(
      outcomes.map(({ outcome }) => outcome),
      reports.map(() => 'accepted'),
    )
    const { body: checks } = await plane.call('GET', '/v1/checks')
    for (const { id, checkType } of checks) {
      const { body } = await plane.call('GET', `/v2/check-results/${id}`)
      t.match(body.entries, [{ hasFailures: false, hasErrors: false, error: null }], checkType)
    }
  })

  t.test(`while a rollout lasts: agents of ${earlier.version} and of today in one location`, async (t) => {
    const plane = await testApp(t)
    const ports = await targets(t)
    await createChecks(plane, ports)
    const recorded = atPorts(earlier, ports)
    const { agentId, version } = recorded.claim.request
    const today: ClaimRequest = {
      ...recorded.claim.request,
      ...{ agentId: 'today', version: controlPlaneVersion, fresh: true, isolation: ['landlock'] },
      ...{ runtimeIds: [...runtimeIds], playwrightRuntimeIds: [], suiteEngines: [...suiteEngines] },
    }
    const seen: string[] = []
    const shares = new Map<string, number>()
    for (let step = 0; step < 44; step += 1) {
      if (step > 0) plane.advance(15_000)
      await scheduleTick(plane.app)
      await presenceTick(plane.app)
      for (const request of [
        { ...recorded.claim.request, maxUptime: 2 },
        { ...today, maxUptime: 100 },
      ]) {
        const { jobs } = await post<ClaimResponse>(plane, agentPaths.claim, request)
        if (jobs.length === 0) continue
        const reports = reportsOf(jobs, recorded)
        const said = { agentId: request.agentId, reports }
        const { outcomes } = await post<ReportResponse>(plane, agentPaths.report, said)
        t.ok(outcomes.every(({ outcome }) => outcome === 'accepted'))
        seen.push(...jobs.map(({ checkId, dueAt }) => `${checkId} ${dueAt}`))
        shares.set(request.agentId, (shares.get(request.agentId) ?? 0) + jobs.length)
      }
    }
    t.strictSame([...shares.keys()].toSorted(), [agentId, today.agentId], 'each has a share')
    t.ok(seen.length > 4, `${seen.length} runs`)
    t.equal(new Set(seen).size, seen.length, "each run is one agent's")
    t.strictSame(
      await accountedFor(plane.app.db),
      seen
        .map((run) => run.replace(' ', ' local '))
        .map((run) => `${run} RESULT`)
        .toSorted(),
      'each has a result, and none is missed',
    )
    const [location] = (await plane.call('GET', '/v1/private-locations?versions=true')).body
    const versions: string[] = location.runningAgents.map((group: { version: string }) => group.version)
    t.strictSame(
      versions.toSorted(),
      [version, controlPlaneVersion].toSorted(),
      `of ${agentId}, and of today`,
    )
  })

  t.test(`this agent and a control plane of ${earlier.version}`, async (t) => {
    const { claim, report } = atPorts(earlier, await targets(t))
    const made = await attempts(claim.response.jobs, claim.response.serverTime)
    for (const [position, job] of claim.response.jobs.entries()) {
      const mine = made[position]
      t.match(mine?.outcome, { kind: 'observed', observation: { failure: null } }, job.checkType)
      const known = new Set(pathsOf(report.request.reports[position]).map(withoutItems))
      t.strictSame(
        pathsOf(mine)
          .map(withoutItems)
          .filter((path) => !known.has(path) && !isFree(path)),
        [],
        `a report of type ${job.checkType} says nothing that ${earlier.version} refuses`,
      )
    }
  })
}

/** What that agent saw, said of these jobs. */
const reportsOf = (jobs: readonly Job[], { claim, report }: Pick<Exchanges, 'claim' | 'report'>): Report[] =>
  jobs.map((job) => {
    const before = claim.response.jobs.find(({ checkType }) => checkType === job.checkType)
    const own = report.request.reports.find(({ jobId }) => jobId === before?.id)
    if (own === undefined) throw new Error(`${job.checkType} was not recorded`)
    return { ...own, jobId: job.id, fence: job.fence }
  })

/** Names that targets choose. */
const isFree = (path: string): boolean => /\.headers\.|\.params\./.test(path)
const withoutItems = (path: string): string => path.replaceAll('[]', '')
