/** The list of all background loops. */

import { presenceTick } from './agents/note-agent.ts'
import { heartbeatTick } from './heartbeats/heartbeat-tick.ts'
import { sampleLocationsTick } from './private-locations/sample.ts'
import { analysisTick } from './root-cause-analyses/analysis-tick.ts'
import type { Loop } from './run-loops.ts'
import { aliveTick } from './runs/recover.ts'
import { scheduleTick } from './runs/schedule.ts'
import { sweepTick } from './runs/sweep.ts'

export const loops: readonly Loop[] = [
  { name: 'presence', intervalMs: 20_000, tick: presenceTick },
  { name: 'heartbeats', intervalMs: 1000, tick: heartbeatTick },
  { name: 'alive', intervalMs: 1000, tick: aliveTick },
  { name: 'schedule', intervalMs: 1000, tick: scheduleTick },
  { name: 'sweep', intervalMs: 1000, tick: sweepTick },
  { name: 'location-samples', intervalMs: 60_000, tick: sampleLocationsTick },
  { name: 'analyses', intervalMs: 1000, tick: analysisTick },
]
