/** A control plane that exports what it takes in to a receiver of the test's own, soon. */
import pino from 'pino'
import type { Test } from 'tap'
import { createRunExport } from '../../control-plane/insight/otlp/create-run-export.ts'
import { exportMetrics } from '../../control-plane/insight/otlp/export-watch.ts'
import type { OtlpSettings } from '../../control-plane/insight/otlp/otlp-settings.ts'
import { metricGroups } from '../../control-plane/metrics.ts'
import type { FinalResult } from '../../control-plane/monitoring/outcomes/consequences.ts'
import { createMetrics, type HasMetrics } from '../../control-plane/platform/app/metrics.ts'
import type { Engine } from '../../control-plane/platform/store/database/engines.ts'
import type { Job } from '../../protocol/job.ts'
import { noProxies } from '../../protocol/networks/proxy.ts'
import type { Observation, Report } from '../../protocol/result.ts'
import { type TestApp, testApp } from './app.ts'
import { claimRequest, emptyHttpDetail, passingReport } from './engine-room.ts'

type Options = { origin: string; engine?: Engine['name']; settings?: Partial<OtlpSettings> }

export const otlpSettings = (origin: string): OtlpSettings => ({
  metricsUrl: `${origin}/v1/metrics`,
  tracesUrl: `${origin}/v1/traces`,
  metricsEveryMs: 100,
  spansEveryMs: 50,
  maxSpans: 2048,
  maxSeries: 10_000,
  headers: {},
})

export const exportingPlane = async (t: Test, { origin, engine = 'sqlite', settings }: Options) => {
  const said: Array<Record<string, unknown>> = []
  const time = { ms: 0 }
  const metrics = createMetrics(metricGroups)
  const runExport = createRunExport({
    log: pino({ level: 'warn' }, { write: (line: string) => said.push(JSON.parse(line)) }),
    metrics,
    settings: { ...otlpSettings(origin), ...settings },
    proxies: noProxies,
    baseUrl: 'http://plane.test',
    monotonic: () => time.ms,
  })
  t.teardown(() => runExport.close(Promise.resolve()))
  const plane = await testApp(t, { engine, parts: { runExport, metrics } })
  return { ...plane, said, time, runExport, metrics }
}

/** A URL check of the location `local`, without retries, and the job of its first run. */
export const claimedCheck = async (plane: TestApp, more: object = {}): Promise<Job> => {
  const body = {
    name: 'home',
    request: { url: 'http://127.0.0.1/' },
    privateLocations: ['local'],
    locations: [],
    doubleCheck: false,
    ...more,
  }
  const { status, text, body: made } = await plane.call('POST', '/v1/checks/url', { body })
  if (status !== 201) throw new Error(text)
  const { body: claimed } = await plane.call('POST', '/agent/v1/claim', {
    key: plane.agentKey,
    body: claimRequest(),
  })
  const job = (claimed.jobs as Job[]).find(({ checkId }) => checkId === made.id)
  if (job === undefined) throw new Error('there is no job')
  return job
}

/** The report of a run that saw this. */
export const reportOf = (plane: TestApp, job: Job, seen: Partial<Observation>): Report => {
  const now = plane.app.clock.now()
  const report = passingReport(job, now)
  if (report.outcome.kind !== 'observed') throw new Error('not an observation')
  return {
    ...report,
    stoppedAt: now + 400,
    outcome: { kind: 'observed', observation: { ...report.outcome.observation, ...seen } },
  }
}

export const sendReports = async (plane: TestApp, reports: Report[]): Promise<string[]> => {
  const { body } = await plane.call('POST', '/agent/v1/report', {
    key: plane.agentKey,
    body: { agentId: 'agent-1', reports },
  })
  return body.outcomes.map(({ outcome }: { outcome: string }) => outcome)
}

/** What a failed request over TLS to this address saw. */
export const failedDetail = (url: string) => ({
  ...emptyHttpDetail,
  request: { ...emptyHttpDetail.request, url },
  response: {
    href: url,
    status: 503,
    statusText: 'Service Unavailable',
    httpVersion: '1.1',
    body: '',
    bodyBytes: 0,
    truncated: false,
    headers: {},
    timings: { socket: 1, lookup: 11, connect: 31, secureConnect: 61, response: 161, end: 171 },
    timingPhases: { wait: 1, dns: 10, tcp: 20, tls: 30, firstByte: 100, download: 10, total: 221 },
    remoteAddress: '192.0.2.1',
    redirects: [],
    certificate: null,
  },
})

/** Final results of a check that is well, as slices tell each other of them. */
export const finalResults = (count: number, of: (index: number) => Partial<FinalResult>): FinalResult[] =>
  Array.from({ length: count }, (_, index) => ({
    accountId: 'account',
    checkId: 'check',
    checkType: 'URL',
    checkRunId: index,
    sequenceId: 's',
    sessionId: '',
    isTest: false,
    originId: 'check',
    location: 'local',
    resultId: `result-${index}`,
    checkName: 'home',
    verdict: {
      hasFailures: false,
      hasErrors: false,
      isDegraded: false,
      isCancelled: false,
      overMaxResponseTime: false,
      responseTime: 10,
    },
    startedAt: 0,
    stoppedAt: 10,
    error: null,
    detail: null,
    trace: null,
    isWell: true,
    replacesMissed: false,
    arrivedLate: false,
    ...of(index),
  }))

/** Runs that were lost so far, by reason. */
export const lostOf = async (plane: HasMetrics): Promise<Record<string, number>> => {
  const { values } = await exportMetrics.lostRuns(plane).get()
  return Object.fromEntries(values.map(({ labels, value }) => [labels.reason, value]))
}
