import { packetCapture, traceJson, traceText } from '../../protocol/artifact-kinds.ts'
import { CannotRun } from '../base/cannot-run.ts'
import type { RunLog } from '../base/run-log.ts'
import { parseNameServer } from '../dns/name-servers.ts'
import type { PeerAddress } from '../net/connect/lookup.ts'
import type { Capture } from '../net/evidence/capture/capture.ts'
import { tcpSentence } from '../net/evidence/tcp-facts.ts'
import { reportOf, traceSentence, traceTable } from '../net/evidence/traceroute/report.ts'
import type { TraceResult, Tracer } from '../net/evidence/traceroute/tracer.ts'
import type { Chain } from '../net/http/redirects.ts'
import type { Io } from '../net/io.ts'

export type EvidenceIo = Io & { capture: Pick<Capture, 'cut'>; trace: Tracer }

type EvidenceContext = { chain: Chain; io: EvidenceIo; runLog: Pick<RunLog, 'say' | 'keep'> }

/**
 * What shows why the network failed an HTTP request: the packets of its last attempt, the way to whom it was meant for,
 * and what the kernel knew of the connection. Leaves files and lines behind, and nothing for other outcomes. Bounded by
 * both: the result of a failed run waits for it.
 */
export const keepEvidence = async (
  chain: Chain,
  io: EvidenceIo,
  runLog: EvidenceContext['runLog'],
): Promise<void> => {
  const { failure, tcp } = chain.last
  if (failure?.network !== true) return
  if (tcp !== null) runLog.say('INFO', tcpSentence(tcp))
  const failed = { chain, io, runLog }
  await Promise.all([keepCapture(failed), keepTrace(failed)])
}

const keepCapture = async ({ chain, io, runLog }: EvidenceContext): Promise<void> => {
  const { clock, capture, egressRoute } = io
  const { flows, moments } = chain.last
  const since = clock.now() - (clock.monotonic() - moments.started)
  const name = egressRoute.proxy?.host ?? chain.request.url.hostname
  const cut = await capture.cut({ flows, name, since, until: clock.now() })
  if ('reason' in cut) return runLog.say('INFO', `No packet capture: ${cut.reason}`)
  const { file: content, gaps } = cut
  runLog.keep({ ...packetCapture, name: 'capture.pcap', content })
  runLog.say('INFO', `The packets of the attempt are in capture.pcap (${content.length} bytes)`)
  for (const gap of gaps) runLog.say('INFO', gap)
}

const keepTrace = async ({ chain, io, runLog }: EvidenceContext): Promise<void> => {
  const target = whomToTrace(chain, io)
  if (target === null) return runLog.say('INFO', 'No traceroute: there is no address to trace')
  const traced = await trace(target, io)
  if ('reason' in traced) return runLog.say('INFO', `No traceroute: ${traced.reason}`)
  const report = reportOf(traced.trace)
  runLog.say('INFO', traceSentence(report))
  const files = [
    {
      ...traceJson,
      name: 'traceroute.json',
      text: JSON.stringify(report),
    },
    {
      ...traceText,
      name: 'traceroute.txt',
      text: traceTable(report),
    },
  ] as const
  for (const { text, ...file } of files) runLog.keep({ ...file, content: Buffer.from(text) })
}

const trace = async (target: PeerAddress, io: EvidenceIo): Promise<TraceResult> => {
  try {
    return await io.trace(target)
  } catch (error) {
    if (error instanceof CannotRun) return { reason: 'this machine does not offer the calls that it needs' }
    throw error
  }
}

/** What the resolver says when its name servers are silent. A name that does not exist was answered by one. */
const silentServers: ReadonlySet<string> = new Set(['EAI_AGAIN', 'ETIMEOUT', 'TIMEOUT'])

const whomToTrace = ({ last }: Chain, io: EvidenceIo): PeerAddress | null => {
  if (last.peer !== null) return last.peer
  const [server] = silentServers.has(last.failure?.code ?? '') ? io.nameServers() : []
  if (server === undefined) return null
  const { address, port } = parseNameServer(server)
  return { address, family: address.includes(':') ? 6 : 4, port }
}
