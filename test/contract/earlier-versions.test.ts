/** Agents and control planes one minor version apart work together: what the earlier ones said is said again to today's. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { controlPlaneVersion } from '../../control-plane/platform/settings/config.ts'
import { agentPaths, type ClaimResponse, type ReportResponse } from '../../protocol/agent-api.ts'
import { testApp } from '../support/app.ts'
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
    const reports = claim.response.jobs.map(({ id, checkType }) => {
      const job = claimed.jobs.find((one) => one.checkType === checkType)
      const own = report.request.reports.find(({ jobId }) => jobId === id)
      if (job === undefined || own === undefined) throw new Error(`${checkType} was not recorded`)
      return { ...own, jobId: job.id, fence: job.fence }
    })
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

/** Names that targets choose. */
const isFree = (path: string): boolean => /\.headers\.|\.params\./.test(path)
const withoutItems = (path: string): string => path.replaceAll('[]', '')
