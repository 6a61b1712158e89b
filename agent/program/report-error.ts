import type { ErrorEvent } from '../../protocol/agent-api.ts'
import { agentVersion } from '../base/version.ts'
import type { Io } from '../net/io.ts'

/** Sends events about the agent's own failures. */
export type ReportError = (error: Error) => void

type ReportErrorOptions = {
  enabled: boolean
  platform: string
  runtime: string
  io: Pick<Io, 'clock' | 'log'>
  /** When it happened, on the control plane's clock. */
  at(): number
  send(events: ErrorEvent[]): Promise<unknown>
}

const perMinute = 10

/** Every error is logged here; the service is told of at most ten a minute, and of nothing unless it is enabled. */
export const createReportError = (options: ReportErrorOptions): ReportError => {
  let windowStart = Number.NEGATIVE_INFINITY
  let sent = 0
  return (error) => {
    options.io.log.error({ err: error }, 'the agent failed')
    if (!options.enabled) return
    const now = options.io.clock.monotonic()
    if (now - windowStart > 60_000) {
      windowStart = now
      sent = 0
    }
    sent += 1
    if (sent <= perMinute) options.send([errorEvent(error, options)])
  }
}

/** Built from an allow-list: message, stack, version, platform, runtime, time. */
export const errorEvent = (
  error: Error,
  { platform, runtime, at }: Pick<ReportErrorOptions, 'platform' | 'runtime' | 'at'>,
): ErrorEvent => ({
  message: clean(`${error.name}: ${error.message}`).slice(0, 2048),
  stack: frames(error.stack ?? '').slice(0, 16_384),
  agentVersion,
  platform,
  runtime,
  at: Math.floor(at()),
})

/** Where in the code, and nothing else: the message, which a stack remeasureBudget, is cleaned apart. */
const frames = (stack: string): string =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) =>
      line.replace(/(?:file:\/\/)?\/[^\s()]*?\/((?:agent|protocol|node_modules)\/[^\s()]+)/g, '$1'),
    )
    .map((line) => line.replace(url, removed))
    .join('\n')

const url = /(?!node:|file:)\b[a-z][a-z0-9+.-]*:\/\/[^\s'")\]]+/gi

const removed = '[removed]'

/** Takes out what could come from a check, a target or the environment: URLs, quoted text, addresses, host names, keys. */
const clean = (text: string): string =>
  text
    .replace(url, removed)
    .replace(/"[^"]*"|`[^`]*`|'[^']{20,}'/g, removed)
    .replace(/\bpl_[0-9a-z]+/gi, removed)
    .replace(/\b(bearer|basic)\s+\S+/gi, removed)
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, removed)
    .replace(/(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/gi, removed)
    .replace(/\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, removed)
    .replace(/\b(getaddrinfo|query\w*)\s+(\w+)\s+\S+/g, `$1 $2 ${removed}`)
    .replace(/\b[0-9a-zA-Z+/_-]{32,}={0,2}\b/g, removed)
