/**
 * What a run saw while the event loop of this agent stood is not held against its target (`stallEffect.ts` says what counts).
 * It is taken again at once, once, where that does no harm; where it is suspect again, or must not be sent twice, the run could
 * not be run. A run that passed stays one: only its times may be false, and it says by how much; of those a few are taken again each
 * second (`remeasureBudget.ts`).
 */
import type { LoopWatch } from '../../protocol/loop-watch.ts'
import type { Observation } from '../../protocol/result.ts'
import { CannotRun } from '../base/cannot-run.ts'
import type { RunContext } from '../checks/runner.ts'
import type { Io } from '../net/io.ts'
import type { RemeasureBudget } from './remeasure-budget.ts'
import { type StallEffect, stallEffectOf } from './stall.ts'

type Measurement = { seen: Observation; stoodMs: number; stallEffect: StallEffect }

export type Measuring = RunContext & {
  io: {
    loopWatch: Pick<LoopWatch, 'begin'>
    remeasureBudget: RemeasureBudget
    clock: Pick<Io['clock'], 'monotonic'>
  }
  /** Whether it can be sent again without harm. */
  isRepeatable: boolean
}

/** Throws CannotRun where nothing can be said about the target. */
export const measureUndisturbed = async (
  measure: () => Promise<Observation>,
  { io, signal, runLog, isRepeatable }: Measuring,
): Promise<Observation> => {
  const first = await measured(measure, io)
  if (first.stallEffect === null) return marked(first)
  if (first.stallEffect === 'times' && isRepeatable && !io.remeasureBudget.take()) return marked(first)
  if (!isRepeatable || signal.aborted) {
    const why = isRepeatable ? 'The time of the run is up' : 'What it sent must not be sent twice'
    runLog.say('WARN', `${stalled(first)}. ${why}: it is not measured again`)
    return settle(first)
  }
  runLog.say('WARN', `${stalled(first)}: it is measured again`)
  const second = await measured(measure, io)
  // What had less than its time is no measurement.
  if (second.stallEffect !== 'outcome' && !signal.aborted) {
    if (second.stallEffect !== null) runLog.say('WARN', stalled(second))
    return marked(second)
  }
  runLog.say(
    'WARN',
    signal.aborted ? 'The time of the run was up before it was measured again' : stalled(second),
  )
  return settle(first)
}

const measured = async (
  measure: () => Promise<Observation>,
  { loopWatch, clock }: Measuring['io'],
): Promise<Measurement> => {
  const began = clock.monotonic()
  const stop = loopWatch.begin()
  try {
    const seen = await measure()
    const stoodMs = stop()
    return { seen, stoodMs, stallEffect: stallEffectOf(seen, { stoodMs, tookMs: clock.monotonic() - began }) }
  } finally {
    stop()
  }
}

const stalled = ({ stoodMs, stallEffect }: Measurement): string =>
  `The event loop of this agent stood for ${stoodMs} ms while this was measured, so that ${
    stallEffect === 'times' ? 'its times may be false' : 'what it saw may be the doing of this agent'
  }`

const settle = (measurement: Measurement): Observation => {
  if (measurement.stallEffect === 'times') return marked(measurement)
  const { seen, stoodMs } = measurement
  const what =
    seen.failure?.message ?? seen.assertions.find(({ passed }) => !passed)?.error ?? 'it was degraded'
  throw new CannotRun(
    `The event loop of this agent stood for ${stoodMs} ms during the run, so that nothing is known of the target. What was seen: ${what}`,
  )
}

/** The control plane holds a limit of time against the target only where the stalls do not explain it. */
const marked = ({ seen, stoodMs }: Measurement): Observation =>
  stoodMs === 0 ? seen : { ...seen, stalledMs: stoodMs }
