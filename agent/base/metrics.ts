import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** The agent's own numbers. No tenant data: no names, ids, addresses or check configuration in any label. */
export type Metrics = {
  /** Prometheus text. */
  render(): Promise<string>
  contentType: string
  /** 1, with what runs here as its labels; `location` once the control plane has told it. */
  buildInfo: Gauge<'version' | 'revision' | 'node' | 'location'>
  results: Counter<'outcome'>
  ownNetwork: Counter
  uploads: Counter<'outcome'>
  artifacts: Counter<'outcome'>
  aloneRuns: Counter<'outcome'>
  lateUploads: Counter<'outcome'>
  fallbackMessages: Counter<'outcome'>
  lateness: Histogram
  calls: Histogram<'call' | 'outcome'>
  isolation: Gauge<'layer'>
  browsers: Gauge<'part'>
  stalls: Histogram
  watch(read: () => Levels): void
}

/** What is read at the moment of a scrape. */
export type Levels = {
  held: number
  waiting: number
  running: number
  slow: number
  spoolBatches: number
  spoolBytes: number
  spoolDropped: number
  spoolDurable: number
  artifactFiles: number
  artifactBytes: number
  connected: number
  standingOrders: number
  alone: number
  lateReports: number
}

const levels: Record<keyof Levels, [name: string, help: string]> = {
  held: ['watchpost_agent_jobs_held', 'Jobs whose lease this agent holds'],
  waiting: ['watchpost_agent_jobs_waiting', 'Held jobs that have not started'],
  running: ['watchpost_agent_jobs_running', 'Jobs in flight, slow ones included'],
  slow: ['watchpost_agent_jobs_slow', 'Jobs in flight for so long that they hold no slot'],
  spoolBatches: ['watchpost_agent_spool_batches', 'Batches of results on disk'],
  spoolBytes: ['watchpost_agent_spool_bytes', 'Bytes of results on disk'],
  spoolDropped: ['watchpost_agent_spool_dropped_batches', 'Batches dropped because the spool was full'],
  spoolDurable: [
    'watchpost_agent_spool_durable',
    '1 while the disk takes results; 0: they are in memory only, and lost with the process',
  ],
  artifactFiles: ['watchpost_agent_artifacts_spooled', 'Artifacts on disk'],
  artifactBytes: ['watchpost_agent_artifacts_spooled_bytes', 'Bytes of artifacts on disk'],
  connected: [
    'watchpost_agent_control_plane_connected',
    '1 when the last poll of the control plane succeeded',
  ],
  standingOrders: [
    'watchpost_agent_standing_orders',
    'Checks that this agent can run by itself while its control plane is away',
  ],
  alone: [
    'watchpost_agent_alone',
    '1 while the control plane does not answer and standing orders are run, else 0',
  ],
  lateReports: [
    'watchpost_agent_late_reports',
    'Results of standing orders that wait for the control plane, on disk',
  ],
}

/** Gauges with the name of a counter, which `promtool check metrics` finds wrong; each is the sum of another metric. */
const sums = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** The agent's metrics in a registry of their own, with those of the process. */
export const createMetrics = (): Metrics => {
  const registry = new Registry()
  // A timer that looks a hundred times a second costs more than an agent with nothing to do.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 })
  for (const name of sums) registry.removeSingleMetric(name)
  const registers = [registry]
  return {
    render: () => registry.metrics(),
    contentType: registry.contentType,
    buildInfo: new Gauge({
      name: 'watchpost_build_info',
      help: 'Always 1; its labels tell the version and revision that runs here, the version of Node, and the location by its slug or code',
      labelNames: ['version', 'revision', 'node', 'location'],
      registers,
    }),
    results: new Counter({
      name: 'watchpost_agent_results_total',
      help: 'Finished attempts by outcome: passed, failed, could-not-run, cancelled',
      labelNames: ['outcome'],
      registers,
    }),
    ownNetwork: new Counter({
      name: 'watchpost_agent_own_network_results_total',
      help: "Failed attempts that became could-not-run, since the agent's own network was away",
      registers,
    }),
    ...deliveryCounters(registers),
    ...aloneCounters(registers),
    lateness: new Histogram({
      name: 'watchpost_agent_start_lateness_seconds',
      help: 'Actual start of a job minus its planned start',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 30],
      registers,
    }),
    calls: new Histogram({
      name: 'watchpost_agent_control_plane_request_seconds',
      help: 'Requests to the control plane',
      labelNames: ['call', 'outcome'],
      buckets: [0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 20, 40],
      registers,
    }),
    ...machineGauges(registers),
    stalls: new Histogram({
      name: 'watchpost_agent_event_loop_stall_seconds',
      help: 'How long the event loop stood, each time that it did for over 50 ms while checks ran',
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    }),
    watch: (read) => watchLevels(read, registers),
  }
}

const watchLevels = (read: () => Levels, registers: Registry[]): void => {
  for (const [key, [name, help]] of Object.entries(levels)) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers,
      collect: () => gauge.set(read()[key as keyof Levels]),
    })
  }
}

/** What the control plane made of what it was sent. */
const deliveryCounters = (registers: Registry[]): Pick<Metrics, 'uploads' | 'artifacts'> => ({
  uploads: new Counter({
    name: 'watchpost_agent_uploads_total',
    help: 'Reports by what the control plane made of them',
    labelNames: ['outcome'],
    registers,
  }),
  artifacts: new Counter({
    name: 'watchpost_agent_artifacts_total',
    help: 'Artifacts of runs by what became of them: uploaded, unwanted, damaged, refused',
    labelNames: ['outcome'],
    registers,
  }),
})

/** What is done while the control plane is away. */
const aloneCounters = (
  registers: Registry[],
): Pick<Metrics, 'aloneRuns' | 'lateUploads' | 'fallbackMessages'> => ({
  aloneRuns: new Counter({
    name: 'watchpost_agent_alone_runs_total',
    help: 'Attempts by standing orders: run, could-not-run, cancelled; overlapped: not begun, since an earlier run of the check still ran',
    labelNames: ['outcome'],
    registers,
  }),
  lateUploads: new Counter({
    name: 'watchpost_agent_late_uploads_total',
    help: 'Results of standing orders by what the control plane made of them; dropped: there was no room to keep them',
    labelNames: ['outcome'],
    registers,
  }),
  fallbackMessages: new Counter({
    name: 'watchpost_agent_fallback_messages_total',
    help: 'Tries to tell FALLBACK_WEBHOOK_URL something: told, failed',
    labelNames: ['outcome'],
    registers,
  }),
})

/** What this machine has for code of users. */
const machineGauges = (registers: Registry[]): Pick<Metrics, 'isolation' | 'browsers'> => ({
  isolation: new Gauge({
    name: 'watchpost_agent_isolation',
    help: '1 for each layer of the isolation of user code that the kernel holds here (docs/security.md), else 0',
    labelNames: ['layer'],
    registers,
  }),
  browsers: new Gauge({
    name: 'watchpost_agent_browser',
    help: '1 for each part that browser checks need and this agent has: playwright, chromium, and its sandbox',
    labelNames: ['part'],
    registers,
  }),
})
