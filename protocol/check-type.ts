/**
 * The closed list of check types (service-interface "What the service does"), the queue each one waits in and how long
 * one attempt may take. `uptime` jobs are cheap and run by the hundred in one process; `main` jobs start a script or a
 * browser.
 */
export const checkTypes = [
  'AGENTIC',
  'API',
  'BROWSER',
  'HEARTBEAT',
  'ICMP',
  'MULTI_STEP',
  'TCP',
  'PLAYWRIGHT',
  'URL',
  'DNS',
] as const

export type CheckType = (typeof checkTypes)[number]

export type JobQueue = 'uptime' | 'main'

const uptimeTypes: ReadonlySet<CheckType> = new Set(['URL', 'API', 'TCP', 'DNS', 'ICMP'])

export const queueOf = (type: CheckType): JobQueue => (uptimeTypes.has(type) ? 'uptime' : 'main')

const minutes = 60_000

/** The hard limit of one attempt in milliseconds (api-facts 2.4 "Hard run limits"). */
export const runLimitMs = (type: CheckType): number => {
  // The request's 30 s, and 10 s for each of eight scripts around it: snippet and script of check and group, twice.
  if (type === 'API') return 110_000
  if (uptimeTypes.has(type)) return 30_000
  return type === 'PLAYWRIGHT' ? 60 * minutes : 4 * minutes
}
