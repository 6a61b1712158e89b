/** The list of all benchmarks, in the order in which they run. */
import type { Bench } from './bench.ts'
import { heartbeatPings } from './heartbeat-pings.ts'
import { captureCost } from './p1-capture.ts'
import { urlChecks } from './p1-url-checks.ts'
import { hostileTargets } from './p2-hostile.ts'
import { startLateness } from './p2-start-lateness.ts'
import { ingest } from './p3-ingest.ts'
import { restart } from './p4-restart.ts'
import { analytics } from './p5-analytics.ts'
import { checkList } from './p6-check-list.ts'
import { readCheck } from './p7-read-check.ts'
import { alerting } from './p8-alerting.ts'
import { browserChecks } from './p9-browser-checks.ts'
import { idleAgents } from './p10-idle-agents.ts'
import { agentMemory } from './p11-agent-memory.ts'
import { exporterScrape } from './p12-exporter.ts'
import { rowSize } from './p13-row-size.ts'
import { statusPageVisits } from './p14-status-page.ts'
import { dashboard } from './p15-dashboard.ts'
import { yearOfResults } from './p16-year.ts'
import { yearOnPostgres } from './p16-year-postgres.ts'
import { outage } from './p17-outage.ts'
import { readReplica } from './p18-read-replica.ts'
import { hourOfChecks } from './p19-hour.ts'
import { standingOrders } from './p20-standing-orders.ts'
import { asCode } from './p21-as-code.ts'
import { imageStarts } from './p22-images.ts'
import { soak } from './soak.ts'

export const benches: readonly Bench[] = [
  urlChecks,
  captureCost,
  startLateness,
  hostileTargets,
  ingest,
  restart,
  analytics,
  checkList,
  readCheck,
  alerting,
  browserChecks,
  idleAgents,
  agentMemory,
  exporterScrape,
  statusPageVisits,
  rowSize,
  dashboard,
  yearOfResults,
  yearOnPostgres,
  outage,
  readReplica,
  hourOfChecks,
  standingOrders,
  asCode,
  imageStarts,
  heartbeatPings,
  soak,
]
