/** One FINAL result, as analytics see it. Parts of its document are there only when a metric or a grouping needs them. */
export type Sample = {
  startedAt: number
  location: string
  passed: boolean
  responseTime: number
  retries: number
  metrics: Record<string, number>
  statusCode: string | null
  pages: Page[]
  traceSummary: Record<string, number>
  certificate: { daysRemaining?: number }
  /** Of a heartbeat: EARLY, RECEIVED, GRACE, LATE or FAILING. */
  state: string | null
}

export type Page = { url?: string; webVitals?: Record<string, { value?: number | null } | null> }

/** Parts of a result's document that can be asked for, and where they are. */
export const partPaths = {
  metrics: 'metrics',
  statusCode: 'apiCheckResult.response.status',
  pages: 'browserCheckResult.pages',
  traceSummary: 'browserCheckResult.traceSummary',
  certificate: 'apiCheckResult.response.certificate',
  state: 'state',
} as const

export type Part = keyof typeof partPaths
