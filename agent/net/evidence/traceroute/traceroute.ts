/**
 * The way to a target, router by router.
 *
 * Words: a *probe* may cross a number of routers, its hop limit; the one that it may not cross any more says so, and is
 * the *hop* of that number. A *round* sends one probe for each of several hop limits at once. The first rounds find out
 * how far the target is, two more measure each hop again.
 *
 * Probes are connections to the target's own port first, since that is the way that has failed, then echo requests and
 * datagrams where not a single router answers those. No privilege is needed (Linux 5.10 for connections).
 */
import type { Clock } from '../../../../protocol/clock.ts'
import type { PeerAddress } from '../../connect/lookup.ts'
import type { Libc } from '../../ping/libc.ts'
import { isRouteError } from '../../ping/ping-socket.ts'
import { type Method, type Probe, type ProbeAnswer, sendProbe } from './probe.ts'

const hopsAtOnce = 8
const rounds = 3
const longestWaitMs = 1000
const shortestWaitMs = 100

/** Answers of one hop in the order of the rounds; null for a probe that nobody answered. */
export type TracedHop = { hop: number; answers: (ProbeAnswer | null)[] }

/** `finished`: neither the time nor the number of hops was over before the target, or somebody in its way, answered. */
export type Trace = PeerAddress & {
  method: Method
  hops: TracedHop[]
  reached: boolean
  finished: boolean
  startedAt: number
  tookMs: number
}

/**
 * `budgetMs`: how long the trace may take. `methods`: in the order in which they are tried. `maxSilent`: after so many hops in a row
 * from which nothing comes nobody is looked for any more. `unusedPort`: of datagrams.
 */
export type TraceOptions = {
  budgetMs: number
  methods?: readonly Method[]
  maxHops?: number
  maxSilent?: number
  unusedPort?: number
}
type TraceContext = TraceOptions & { libc: Libc; clock: Clock }

const usual = { methods: ['TCP', 'ICMP', 'UDP'], maxHops: 30, maxSilent: hopsAtOnce } as const

/** Ends within its budget, and with what it has by then. */
export const traceroute = async (target: PeerAddress, options: TraceContext): Promise<Trace> => {
  const context = { ...usual, ...options }
  const { clock } = context
  const startedAt = Math.floor(clock.now())
  const started = clock.monotonic()
  const endsAt = started + context.budgetMs
  let method: Method = 'TCP'
  let hops: TracedHop[] = []
  for (method of context.methods) {
    hops = await findHops({ ...context, target, method, endsAt })
    if (hops.some(isHeard)) break
  }
  hops = upToTheEnd(hops)
  for (let round = 1; round < rounds && hops.some(isHeard) && clock.monotonic() < endsAt; round += 1) {
    const again = hops.map(({ hop }) => hop)
    const answers = await runRound(again, { ...context, target, method, endsAt })
    for (const [index, answer] of answers.entries()) hops[index]?.answers.push(answer)
  }
  // Where the first round lost packets, a later one has seen that the target is nearer.
  hops = upToTheEnd(hops)
  return {
    ...target,
    method,
    hops,
    reached: hops.some(({ answers }) => answers.some((answer) => answer?.reached)),
    finished: hops.some(isEnd),
    startedAt,
    tookMs: clock.monotonic() - started,
  }
}

type RoundContext = TraceContext &
  Required<Pick<TraceOptions, 'maxHops' | 'maxSilent'>> & {
    target: PeerAddress
    method: Method
    endsAt: number
  }

/** Farther and farther, until somebody answers who is the end of the way or nobody answers any more. */
const findHops = async (context: RoundContext): Promise<TracedHop[]> => {
  const { maxHops, maxSilent } = context
  const hops: TracedHop[] = []
  while (hops.length < maxHops && context.clock.monotonic() < context.endsAt) {
    const next = numbersFrom(hops.length + 1, Math.min(hopsAtOnce, maxHops - hops.length))
    const answers = await runRound(next, context)
    const found = next.map((hop, index) => ({ hop, answers: [answers[index] ?? null] }))
    hops.push(...found)
    if (found.some(isEnd) || hops.length - 1 - hops.findLastIndex(isHeard) >= maxSilent) break
  }
  return hops
}

const numbersFrom = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index)

const isHeard = ({ answers }: TracedHop): boolean => answers.some((answer) => answer !== null)

const isEnd = ({ answers }: TracedHop): boolean =>
  answers.some((answer) => answer !== null && (answer.reached || answer.mark !== null))

/** Up to the end of the way; where it was not found, up to the first that is silent after the last who was heard. */
const upToTheEnd = (hops: TracedHop[]): TracedHop[] => {
  const end = hops.findIndex(isEnd)
  return hops.slice(0, end >= 0 ? end + 1 : hops.findLastIndex(isHeard) + 2)
}

/** One probe for each hop; whoever is much slower than those who have answered is not waited for. */
const runRound = async (
  hopLimits: readonly number[],
  context: RoundContext,
): Promise<(ProbeAnswer | null)[]> => {
  const { clock } = context
  const answers: (ProbeAnswer | null)[] = hopLimits.map(() => null)
  const probes = sendAll(hopLimits, context)
  const started = clock.monotonic()
  try {
    for (let pauseMs = 1; ; pauseMs = Math.min(4, pauseMs * 1.25)) {
      for (const [index, probe] of probes.entries()) answers[index] ??= probe.poll()
      const heard = answers.filter((answer) => answer !== null)
      const waitMs =
        heard.length === 0
          ? longestWaitMs
          : Math.min(longestWaitMs, shortestWaitMs + 3 * Math.max(...heard.map(({ rttMs }) => rttMs)))
      const now = clock.monotonic()
      if (heard.length >= probes.length || now - started >= waitMs || now >= context.endsAt) return answers
      await clock.sleep(pauseMs)
    }
  } finally {
    for (const probe of probes) probe.close()
  }
}

const sendAll = (
  hopLimits: readonly number[],
  { libc, method, target, unusedPort }: RoundContext,
): Probe[] => {
  const probes: Probe[] = []
  try {
    for (const hopLimit of hopLimits) probes.push(sendProbe(libc, method, { target, hopLimit, unusedPort }))
  } catch (error) {
    for (const probe of probes) probe.close()
    // Not permitted to send pings: nothing is sent, and so nobody answers.
    if (isRouteError(error)) return []
    throw error
  }
  return probes
}
