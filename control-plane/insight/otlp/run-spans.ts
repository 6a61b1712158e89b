/** Runs that failed as spans of the SDK: one for the run, and one for each phase of its request. */
import { type HrTime, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { TraceIds } from '../../../protocol/result.ts'
import type { FinalResult } from '../../monitoring/outcomes/consequences.ts'
import { controlPlaneVersion } from '../../platform/settings/config.ts'
import { httpDetailOf, spanAttributes } from './run-attributes.ts'
import { phasesOf } from './run-phases.ts'

/** `record` returns how many spans now wait to be sent. */
type RunSpans = { record(run: FinalResult, resultUrl: string): number; close(): Promise<void> }

/** A run and its phases. */
const maxSpansOfRun = 6

type Options = { resource: Resource; exporter: SpanExporter; everyMs: number; maxSpans: number }

export const createRunSpans = ({ resource, exporter, everyMs, maxSpans }: Options): RunSpans => {
  const ids = createIds()
  const provider = new TracerProvider({
    resource,
    idGenerator: ids.generator,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: everyMs,
        maxQueueSize: maxSpans + maxSpansOfRun,
        maxExportBatchSize: Math.min(512, maxSpans),
      }),
    ],
  })
  const tracer = provider.getTracer('watchpost', controlPlaneVersion)
  return {
    record: (run, resultUrl) => {
      const span = ids.adopting(run.trace, () =>
        tracer.startSpan(
          `${run.checkType} run`,
          {
            kind: httpDetailOf(run) === null ? SpanKind.INTERNAL : SpanKind.CLIENT,
            startTime: hrTime(run.startedAt),
            attributes: spanAttributes(run, resultUrl),
          },
          ROOT_CONTEXT,
        ),
      )
      const phases = phasesOf(run)
      for (const { name, from, to } of phases)
        tracer.startSpan(name, { startTime: hrTime(from) }, trace.setSpan(ROOT_CONTEXT, span)).end(hrTime(to))
      for (const attributes of failedAssertions(run))
        span.addEvent('assertion failed', attributes, hrTime(run.stoppedAt))
      span.setStatus({ code: SpanStatusCode.ERROR, message: run.error ?? '' })
      span.end(hrTime(Math.max(run.startedAt, run.stoppedAt)))
      return phases.length + 1
    },
    close: () => provider.shutdown(),
  }
}

/** A number could be taken for one of this process's own clock. */
const hrTime = (ms: number): HrTime => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)]

const maxEvents = 20

const failedAssertions = (run: FinalResult) =>
  (httpDetailOf(run)?.assertions ?? [])
    .filter(({ passed }) => !passed)
    .slice(0, maxEvents)
    .map(({ source, comparison, target, error }) => ({
      'watchpost.assertion.source': source,
      'watchpost.assertion.comparison': comparison,
      'watchpost.assertion.target': String(target),
      ...(error === null ? {} : { 'watchpost.assertion.error': error }),
    }))

/** Random ids, but for a span that others know as their parent already. */
const createIds = () => {
  const random = new RandomIdGenerator()
  let given: TraceIds | null = null
  const generator: IdGenerator = {
    generateTraceId: () => given?.traceId ?? random.generateTraceId(),
    generateSpanId: () => given?.spanId ?? random.generateSpanId(),
  }
  const adopting = <T>(ids: TraceIds | null, start: () => T): T => {
    given = ids
    try {
      return start()
    } finally {
      given = null
    }
  }
  return { generator, adopting }
}
