/** What the exporter takes of a finished run. Plain data, so that other control planes can be told of it. Pure. */
import type { CheckType } from '../../../protocol/check-type.ts'
import { type ProbeSample, probeSamples } from '../../../protocol/probe-series.ts'
import { checkKinds } from '../../monitoring/definitions/checks/types/index.ts'
import type { FinishedRun } from '../../monitoring/outcomes/finished-runs.ts'
import { checkStateOf } from '../../monitoring/outcomes/verdict.ts'
import type { CheckFamily } from './families.ts'

/** `type`: the label of that name; empty: none. */
export type Measurement = { family: CheckFamily; type: string; values: number[] }

export type RunObservation = Pick<
  FinishedRun,
  'id' | 'accountId' | 'checkId' | 'checkType' | 'location' | 'isFinal' | 'dueAt' | 'startedAt'
> & {
  /** Null: the run says nothing of the target. */
  status: 'passing' | 'failing' | 'degraded' | null
  measurements: Measurement[]
  probe: ProbeSample[]
  /** 0 to 1; absent: not known. */
  loss?: number
  certificate?: SeenCertificate
}

/** `endsAt`: epoch milliseconds. */
export type SeenCertificate = { domain: string; endsAt: number }

export const observationOf = (run: FinishedRun): RunObservation => {
  const { id, accountId, checkId, checkType, location, isFinal, verdict, dueAt, startedAt } = run
  const state = verdict.isCancelled ? 'unknown' : checkStateOf(verdict)
  const type = checkType as CheckType
  const seconds = timeOf(run) / 1000
  const certificate = certificateOf(run)
  const { packetLoss } = run.metrics
  return {
    id,
    accountId,
    checkId,
    checkType,
    location,
    isFinal,
    dueAt,
    startedAt,
    status: state === 'unknown' ? null : state,
    measurements: state === 'unknown' ? [] : (readers[type]?.(run) ?? []),
    probe:
      state === 'unknown' || type === 'HEARTBEAT'
        ? []
        : probeSamples({ type, seconds, detail: run.detail, success: !verdict.hasFailures }),
    ...(packetLoss === undefined ? {} : { loss: packetLoss / 100 }),
    ...(certificate === null ? {} : { certificate }),
  }
}

/** What a check's own clock measured; a suite's runs have no other time than that of the run. */
const timeOf = ({ verdict, startedAt, stoppedAt }: FinishedRun): number =>
  verdict.responseTime > 0 ? verdict.responseTime : Math.max(0, stoppedAt - startedAt)

type Reader = (run: FinishedRun) => Measurement[]

/** Metrics of a run by the `type` under which they are shown. */
const timings =
  (family: CheckFamily, types: Readonly<Record<string, string>>): Reader =>
  ({ metrics }) =>
    Object.entries(types).flatMap(([type, metric]) => {
      const value = metrics[metric]
      return value === undefined ? [] : [{ family, type, values: [value / 1000] }]
    })

const withTotal =
  (family: CheckFamily, read: Reader): Reader =>
  (run) => [...read(run), { family, type: 'total', values: [run.verdict.responseTime / 1000] }]

const duration =
  (family: CheckFamily): Reader =>
  (run) => [{ family, type: '', values: [timeOf(run) / 1000] }]

const httpPhases = {
  wait: 'wait',
  dns: 'dns',
  tcp: 'tcp',
  tls: 'tls',
  first_byte: 'firstByte',
  download: 'download',
}

type Page = { webVitals?: Record<string, { value?: number }> }
type BrowserDetail = { pages?: Page[]; traceSummary?: Record<string, number> }

const vitals = ['CLS', 'FCP', 'LCP', 'TBT', 'TTFB'] as const
const errorTypes = {
  console: 'consoleErrors',
  network: 'networkErrors',
  document: 'documentErrors',
  user_script: 'userScriptErrors',
}

const browser: Reader = (run) => {
  const { pages = [], traceSummary = {} } = (run.detail ?? {}) as BrowserDetail
  const ofVital = (name: string): Measurement => ({
    family: 'webVitals',
    type: name,
    values: pages.flatMap(({ webVitals }) => {
      const value = webVitals?.[name]?.value
      return value === undefined ? [] : [name === 'CLS' ? value : value / 1000]
    }),
  })
  const ofErrors = ([type, count]: [string, string]): Measurement => ({
    family: 'browserErrors',
    type,
    values: traceSummary[count] === undefined ? [] : [traceSummary[count]],
  })
  return [
    ...duration('browserDuration')(run),
    ...vitals.map(ofVital).filter(({ values }) => values.length > 0),
    ...Object.entries(errorTypes)
      .map(ofErrors)
      .filter(({ values }) => values.length > 0),
  ]
}

const readers: Partial<Record<CheckType, Reader>> = {
  API: withTotal('apiTiming', timings('apiTiming', httpPhases)),
  URL: withTotal('urlTiming', timings('urlTiming', httpPhases)),
  TCP: timings('tcpTiming', { dns: 'dns', connection: 'connection', data: 'data', total: 'total' }),
  ICMP: timings('icmpTiming', {
    dns: 'dns',
    latency_avg: 'latencyAvg',
    latency_min: 'latencyMin',
    latency_max: 'latencyMax',
  }),
  DNS: timings('dnsTiming', { total: 'total' }),
  BROWSER: browser,
  MULTI_STEP: duration('multiStepDuration'),
}

const certificateOf = ({ checkType, detail }: FinishedRun): SeenCertificate | null => {
  if (detail === null) return null
  const host = checkKinds[checkType as CheckType].detail?.answer?.(detail)?.certificate?.host ?? null
  const { response } = detail as { response?: { certificate?: { validTo?: string } | null } | null }
  const endsAt = Date.parse(response?.certificate?.validTo ?? '')
  return host === null || !Number.isFinite(endsAt) ? null : { domain: host, endsAt }
}
