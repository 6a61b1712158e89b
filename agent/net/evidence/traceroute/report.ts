import type { Trace, TracedHop } from './traceroute.ts'

/** One line of a report. Times in milliseconds, null where nobody answered; `lossPercent` of the probes sent. */
type HopReport = {
  hop: number
  address: string | null
  mark: string | null
  sent: number
  lossPercent: number
  last: number | null
  avg: number | null
  best: number | null
  worst: number | null
  stdDev: number | null
}

/** A trace as results show it. `startedAt` is ISO 8601, `tookMs` milliseconds. */
export type TraceReport = {
  address: string
  port: number
  method: Trace['method']
  startedAt: string
  tookMs: number
  reached: boolean
  finished: boolean
  hops: HopReport[]
}

export const reportOf = ({ address, port, method, reached, finished, ...trace }: Trace): TraceReport => ({
  address,
  port,
  method,
  startedAt: new Date(trace.startedAt).toISOString(),
  tookMs: Math.round(trace.tookMs),
  reached,
  finished,
  hops: trace.hops.map(reportOfHop),
})

const reportOfHop = ({ hop, answers }: TracedHop): HopReport => {
  const heard = answers.filter((answer) => answer !== null)
  const times = heard.map(({ rttMs }) => Math.max(0, rttMs))
  const avg = times.reduce((sum, time) => sum + time, 0) / times.length
  const variance = times.reduce((sum, time) => sum + (time - avg) ** 2, 0) / times.length
  const shown = (time: number | undefined): number | null =>
    time === undefined || !Number.isFinite(time) ? null : Math.round(time * 1000) / 1000
  return {
    hop,
    address: heard.findLast(({ from }) => from !== null)?.from ?? null,
    mark: heard.find(({ mark }) => mark !== null)?.mark ?? null,
    sent: answers.length,
    lossPercent: Math.round((1 - heard.length / answers.length) * 1000) / 10,
    last: shown(times.at(-1)),
    avg: shown(avg),
    best: shown(Math.min(...times)),
    worst: shown(Math.max(...times)),
    stdDev: shown(Math.sqrt(variance)),
  }
}

/** As one sentence. */
export const traceSentence = ({ address, port, method, hops, reached, finished }: TraceReport): string => {
  const to = `The traceroute to ${address} port ${port} (${method})`
  if (hops.every((hop) => hop.lossPercent === 100)) return `${to} was answered by nobody`
  const last = hops.findLast((hop) => hop.lossPercent < 100)
  const who = last?.address ?? 'this machine'
  if (reached) return `${to} reached it after ${counted(hops.length)} in ${last?.best} ms`
  if (last?.mark) return `${to} ends at hop ${last.hop}, where ${who} says ${meaningOf(last.mark)}`
  const end = finished ? '' : '; the target did not answer'
  return `${to} was last answered by hop ${last?.hop}, ${who}${end}`
}

const counted = (count: number): string => (count === 1 ? '1 hop' : `${count} hops`)

const meaningOf = (mark: string): string => {
  const words: Record<string, string> = {
    '!N': 'that there is no route (!N)',
    '!H': 'that the host cannot be reached (!H)',
    '!X': 'that it is administratively prohibited (!X)',
    '!F': 'that the packet is too large (!F)',
  }
  return words[mark] ?? mark
}

const columns = ['loss %', 'sent', 'last', 'avg', 'best', 'worst', 'stddev'] as const

/** As a table for people. */
export const traceTable = (report: TraceReport): string => {
  const width = Math.max(7, ...report.hops.map(({ address, mark }) => nameOf(address, mark).length))
  const line = (hop: string, name: string, cells: readonly string[]): string =>
    `${hop.padStart(3)}  ${name.padEnd(width)}${cells.map((cell) => cell.padStart(9)).join('')}`
  return `${[
    traceSentence(report),
    `${report.startedAt}, ${report.tookMs} ms; times in milliseconds`,
    '',
    line('hop', 'address', columns),
    ...report.hops.map((hop) =>
      line(String(hop.hop), nameOf(hop.address, hop.mark), [
        hop.lossPercent.toFixed(1),
        String(hop.sent),
        ...[hop.last, hop.avg, hop.best, hop.worst, hop.stdDev].map((time) => time?.toFixed(3) ?? '*'),
      ]),
    ),
  ].join('\n')}\n`
}

const nameOf = (address: string | null, mark: string | null): string =>
  `${address ?? (mark === null ? '*' : 'this machine')}${mark === null ? '' : ` ${mark}`}`
