/** Runs the checks that it is given inside the namespace of ping-lab.ts and prints what came out. */
import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { RunCancelled } from '../../agent/base/deadline.ts'
import { runJob } from '../../agent/jobs/run-job.ts'
import { checksum } from '../../agent/net/ping/icmp-packet.ts'
import { type Libc, loadLibc } from '../../agent/net/ping/libc.ts'
import { pingSeries, type Series } from '../../agent/net/ping/ping-series.ts'
import type { RealIo } from '../../agent/program/real-io.ts'
import { realClock } from '../../agent/program/real-io.ts'
import type { TimerClock } from '../../protocol/clock.ts'
import type { Job } from '../../protocol/job.ts'
import { agentIo } from './agent-io.ts'
import type { Answer, LabRan, LabRun } from './ping-lab.ts'
import { refuseStamps } from './without-stamps.ts'

const loopback = Buffer.from([2, 0, 0, 0, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])

/** A message with a right checksum. */
const sealed = (message: Buffer): Buffer => {
  const copy = Buffer.from(message)
  copy.writeUInt16BE(0, 2)
  copy.writeUInt16BE(checksum(copy), 2)
  return copy
}

/** The answer to a request, which is the IP packet with its header of 20 bytes. */
const answerTo = (packet: Buffer, answer: Answer): Buffer => {
  const reply = Buffer.from(packet.subarray(20))
  reply.writeUInt8(0, 0)
  switch (answer) {
    case 'wrong-sequence':
      reply.writeUInt16BE(reply.readUInt16BE(6) + 1, 6)
      return sealed(reply)
    case 'wrong-id':
      reply.writeUInt16BE(reply.readUInt16BE(4) ^ 0x5555, 4)
      return sealed(reply)
    case 'wrong-data':
      return sealed(Buffer.concat([reply.subarray(0, 8), Buffer.alloc(56, 1)]))
    case 'truncated':
      return sealed(reply.subarray(0, 12))
    case 'garbage':
      return Buffer.from('not ICMP at all, and no checksum')
    case 'unreachable':
      return sealed(Buffer.concat([Buffer.from([3, 1, 0, 0, 0, 0, 0, 0]), packet.subarray(0, 28)]))
    case 'prohibited':
      return sealed(Buffer.concat([Buffer.from([3, 13, 0, 0, 0, 0, 0, 0]), packet.subarray(0, 28)]))
    case 'redirect':
      return sealed(Buffer.concat([Buffer.from([5, 1, 0, 0, 127, 0, 0, 9]), packet.subarray(0, 28)]))
    default:
      return sealed(reply)
  }
}

/** The next message. An error of ours that quotes a packet of this socket makes its next call fail once. */
const receive = (libc: Libc, fd: number): ReturnType<Libc['receive']> => {
  try {
    return libc.receive(fd, 'data')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EHOSTUNREACH') throw error
    return libc.receive(fd, 'data')
  }
}

/** Answers echo requests until it is stopped. */
const startResponder = (libc: Libc, answers: Answer[][]): (() => void) => {
  const fd = libc.socket(2, 3, 1)
  libc.connect(fd, loopback)
  const later = new Set<NodeJS.Timeout>()
  const timer = setInterval(() => {
    for (let message = receive(libc, fd); message !== null; message = receive(libc, fd)) {
      const { bytes } = message
      if (bytes[20] !== 8) continue
      for (const answer of answers[bytes.readUInt16BE(26)] ?? []) {
        const send = () => libc.send(fd, answerTo(bytes, answer))
        if (answer === 'late') later.add(setTimeout(send, 600))
        else send()
      }
    }
  }, 1)
  return () => {
    clearInterval(timer)
    for (const timeout of later) clearTimeout(timeout)
    libc.close(fd)
  }
}

const quickened = (clock: TimerClock, times: number): TimerClock => ({
  ...clock,
  monotonic: () => clock.monotonic() * times,
  at: (delayMs, act) => clock.at(delayMs / times, act),
  sleep: (delayMs, signal) => clock.sleep(delayMs / times, signal),
})

const runSeries = async (options: NonNullable<LabRun['series']>, io: RealIo): Promise<Series> => {
  const socket = await io.openPing({ address: '127.0.0.1', family: 4 })
  try {
    return await pingSeries(socket, { family: 4, ...options }, { io, signal: new AbortController().signal })
  } finally {
    socket.close()
  }
}

const openDescriptors = (): number => readdirSync('/proc/self/fd').length

const run = async (labRun: LabRun): Promise<LabRan> => {
  const {
    spec,
    answers,
    fast = false,
    deadlineMs = 30_000,
    cancelAfterMs,
    names,
    blockedNetworks = [],
    withoutStamps = false,
  } = labRun
  if (withoutStamps) refuseStamps()
  const clock = fast ? quickened(realClock(), 5) : realClock()
  const io = agentIo({ clock, blockedNetworks })
  if (names !== undefined)
    io.lookup = async (host, family) => {
      const addresses = names[host] ?? []
      if (addresses === 'never') return new Promise(() => {})
      return addresses
        .filter((address) => address.includes(':') === (family === 6))
        .map((address) => ({ address, family }))
    }
  const stop = answers === undefined ? () => {} : startResponder(await loadLibc(), answers)
  const controller = new AbortController()
  if (cancelAfterMs !== undefined) clock.at(cancelAfterMs, () => controller.abort(new RunCancelled()))
  const before = openDescriptors()
  const series = labRun.series === undefined ? null : await runSeries(labRun.series, io)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const { outcome } = await runJob(
    { checkType: 'ICMP', spec, deadlineMs, variables: [] as Job['variables'] } as Job,
    io,
    controller,
  )
  delay.disable()
  const leakedDescriptors = openDescriptors() - before
  stop()
  return { outcome, series, leakedDescriptors, usualStallMs: delay.percentile(50) / 1e6 }
}

const ran: LabRan[] = []
for (const labRun of JSON.parse(process.argv[2] ?? '[]') as LabRun[]) ran.push(await run(labRun))
process.stdout.write(JSON.stringify({ uid: process.getuid?.(), ran }))
