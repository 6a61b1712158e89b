/** What the exporter takes of a finished run. Plain data, so that other control planes can be told of it. Pure. */
import { type CheckType, isRunnable } from '../../../protocol/check-type.ts'
import { type ProbeSample, probeSamples } from '../../../protocol/probe-series.ts'
import { checkKinds } from '../../monitoring/definitions/checks/types/index.ts'
import { type Measurement, timeOf } from '../../monitoring/definitions/checks/types/run-series.ts'
import type { FinishedRun } from '../../monitoring/outcomes/finished-runs.ts'
import { checkStateOf } from '../../monitoring/outcomes/verdict.ts'

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
  /** Of an outage that is over. */
  arrivedLate?: true
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
    measurements: state === 'unknown' ? [] : (checkKinds[type].series?.read(run) ?? []),
    probe:
      state === 'unknown' || !isRunnable(type)
        ? []
        : probeSamples({ type, seconds, detail: run.detail, success: !verdict.hasFailures }),
    ...(packetLoss === undefined ? {} : { loss: packetLoss / 100 }),
    ...(certificate === null ? {} : { certificate }),
    ...(run.arrivedLate ? { arrivedLate: true } : {}),
  }
}

const certificateOf = ({ checkType, detail }: FinishedRun): SeenCertificate | null => {
  if (detail === null) return null
  const host = checkKinds[checkType as CheckType].detail?.answer?.(detail)?.certificate?.host ?? null
  const { response } = detail as { response?: { certificate?: { validTo?: string } | null } | null }
  const endsAt = Date.parse(response?.certificate?.validTo ?? '')
  return host === null || !Number.isFinite(endsAt) ? null : { domain: host, endsAt }
}
