/** What tests of the account's exporter share: its address, an HTTP answer that a run saw, and an answer taken apart. */

import type { FinishedRun } from '../../control-plane/monitoring/outcomes/finished-runs.ts'
import type { WholeApp } from '../../control-plane/whole-app.ts'
import type { Answer, TestApp } from './app.ts'

export const scrape = (
  { accountId, call }: Pick<TestApp, 'accountId' | 'call'>,
  query: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Answer> =>
  call('GET', `/accounts/${accountId}/v2/prometheus/metrics?${new URLSearchParams(query)}`, { headers })

/** Lines of samples of a metric. */
export const samples = (text: string, name: string): string[] =>
  text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))

export const certificateEnd = '2026-03-01T00:00:00.000Z'

export const httpDetail = (url = 'https://shop.example/') => ({
  request: { method: 'GET', url },
  response: {
    href: url,
    status: 200,
    statusText: 'OK',
    httpVersion: '1.1',
    bodyBytes: 5,
    remoteAddress: '192.0.2.1',
    redirects: [],
    timingPhases: { wait: 1, dns: 2, tcp: 3, tls: 4, firstByte: 5, download: 6, total: 21 },
    certificate: { validTo: certificateEnd, daysRemaining: 59 },
  },
})

export const httpMetrics = { wait: 1, dns: 2, tcp: 3, tls: 4, firstByte: 5, download: 6, total: 21 }

const well = {
  hasFailures: false,
  hasErrors: false,
  isDegraded: false,
  isCancelled: false,
  overMaxResponseTime: false,
  responseTime: 21,
}

export const finishedRun = (
  { app, accountId }: { app: WholeApp; accountId: string },
  {
    verdict = {},
    ...more
  }: Partial<Omit<FinishedRun, 'verdict'>> & { verdict?: Partial<FinishedRun['verdict']> },
): FinishedRun => {
  const now = app.clock.now()
  return {
    id: app.newId(),
    accountId,
    checkId: 'none',
    checkType: 'URL',
    location: 'local',
    isFinal: true,
    dueAt: now - 100,
    startedAt: now - 50,
    stoppedAt: now,
    metrics: httpMetrics,
    detail: httpDetail(),
    ...more,
    verdict: { ...well, ...verdict },
  }
}
