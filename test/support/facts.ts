/** Facts for rules: a run that failed in a realistic way, changed as a test needs it. */

import type { Facts, FailedRunFacts } from '../../control-plane/insight/root-cause-analyses/facts.ts'
import type { HttpFacts } from '../../control-plane/monitoring/definitions/checks/types/http-facts.ts'
import type { AssertionOutcome } from '../../protocol/assertion.ts'
import type { Failure } from '../../protocol/result.ts'

export const failedAt = Date.UTC(2026, 0, 1, 10)

export const http = (more: Partial<HttpFacts> = {}): HttpFacts => ({
  method: 'GET',
  url: 'https://shop.example/cart',
  status: 200,
  statusText: 'OK',
  contentType: 'text/html; charset=utf-8',
  retryAfter: null,
  location: null,
  server: 'nginx',
  bodyBytes: 512,
  remoteAddress: '203.0.113.7',
  redirects: [],
  certificate: null,
  phases: { wait: 0, dns: 2, tcp: 10, tls: 20, firstByte: 60, download: 5, total: 97 },
  ...more,
})

export const failure = (code: string, message: string, network = true): Failure => ({
  code,
  message,
  network,
})

export const assertion = (more: Partial<AssertionOutcome> = {}): AssertionOutcome => ({
  source: 'STATUS_CODE',
  property: '',
  comparison: 'EQUALS',
  target: 200,
  regex: null,
  order: 0,
  passed: false,
  actual: 503,
  error: 'expected status to equal 200 but it was 503',
  ...more,
})

type More = {
  run?: Partial<FailedRunFacts>
  check?: Partial<Facts['check']>
  history?: Partial<Facts['history']>
} & Partial<Omit<Facts, 'run' | 'check' | 'history'>>

export const facts = ({ run, check, history, ...more }: More = {}): Facts => ({
  now: failedAt + 600_000,
  userContext: '',
  check: {
    name: 'site',
    type: 'URL',
    host: 'shop.example',
    maxResponseTime: 5000,
    updatedAt: null,
    ...check,
  },
  group: {
    message: run?.failure?.message ?? run?.assertions?.[0]?.error ?? 'it failed',
    firstSeenAt: failedAt,
    lastSeenAt: failedAt,
    events: 3,
  },
  run: {
    startedAt: failedAt,
    location: 'eu-west-1',
    responseTime: 97,
    hasErrors: false,
    overMax: false,
    failure: null,
    couldNotRun: null,
    assertions: [],
    metrics: {},
    http: null,
    log: [],
    ...run,
  },
  history: {
    runs: 10,
    failed: 3,
    failingSince: failedAt - 120_000,
    failuresInRow: 3,
    lastPassedAt: failedAt - 180_000,
    passesAgainSince: null,
    locations: [{ location: 'eu-west-1', runs: 10, failed: 3, failsNow: true }],
    latency: null,
    ...history,
  },
  neighbours: [],
  ...more,
})
