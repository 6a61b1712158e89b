import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { frameOf } from './frame.ts'
import { workerCpuLimitSeconds } from './limits.ts'
import type { JudgingAnswer, PackedTask } from './task.ts'

/** Why a process ended: it was idle, it ran out of memory, or it failed unexpectedly. */
export type WorkerEnd = 'idle' | 'out-of-memory' | Error

type WorkerListener = {
  onAnswer(answer: JudgingAnswer): void
  /** Also after `kill`. */
  onEnd(end: WorkerEnd): void
}

/** A process that judges one run after the other. Until it has said that it is ready it does nothing. */
export type Worker = {
  send(task: PackedTask): void
  /** CPU time that it has taken; null where the system does not tell. */
  cpuMs(): number | null
  /** At once, whatever it is doing. */
  kill(): void
  /** Keeps the agent's process alive, or does not. */
  hold(wanted: boolean): void
}

const program = fileURLToPath(new URL('program.ts', import.meta.url))

/** getrlimit(2): no core files, and an end for what an agent that was killed has left behind. */
const limited = `ulimit -c 0; ulimit -t ${workerCpuLimitSeconds}; exec "$0" "$@"`

/** @throws what spawn throws, when there is no room for another process. */
export const startWorker = (
  { execPath, memoryMb }: { execPath: string; memoryMb: number },
  listener: WorkerListener,
): Worker => {
  const child = spawn(
    '/bin/sh',
    ['-c', limited, execPath, '--no-warnings', `--max-old-space-size=${memoryMb}`, program],
    { env: {}, stdio: ['pipe', 'pipe', 'pipe'] },
  )
  let lastWords = ''
  child.stderr.on('data', (text: Buffer) => {
    lastWords = `${lastWords}${text}`.slice(-maxLastWords)
  })
  child.stdout.on('data', lineReader(listener.onAnswer))
  // What it did not take in any more is of no use to anybody.
  child.stdin.on('error', () => undefined)
  let ended = false
  const end = (why: WorkerEnd): void => {
    if (!ended) listener.onEnd(why)
    ended = true
  }
  child.on('error', end)
  child.on('close', (code, signal) => end(endOf({ code, signal, lastWords })))
  return {
    send: (task) => {
      for (const piece of frameOf(task)) child.stdin.write(piece)
    },
    cpuMs: () => (ended || child.pid === undefined ? null : cpuMsOf(child.pid)),
    kill: () => child.kill('SIGKILL'),
    hold: (wanted) => hold(child, wanted),
  }
}

const maxLastWords = 8192

type Exit = { code: number | null; signal: NodeJS.Signals | null; lastWords: string }

/** V8 says of its heap that it is full and aborts; the kernel kills without a word. */
const endOf = ({ code, signal, lastWords }: Exit): WorkerEnd => {
  if (code === 0) return 'idle'
  if (signal === 'SIGKILL' || /heap out of memory|heap limit|Array buffer allocation/i.test(lastWords))
    return 'out-of-memory'
  return new Error(`a process that judges ended with ${signal ?? code}: ${lastWords.slice(-1000)}`)
}

const lineReader = (onAnswer: (answer: JudgingAnswer) => void): ((bytes: Buffer) => void) => {
  let parts: Buffer[] = []
  return (bytes) => {
    let from = 0
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, from)) {
      const line = Buffer.concat([...parts, bytes.subarray(from, at)]).toString()
      parts = []
      from = at + 1
      onAnswer(JSON.parse(line) as JudgingAnswer)
    }
    if (from < bytes.length) parts.push(bytes.subarray(from))
  }
}

const hold = (child: ChildProcess, wanted: boolean): void => {
  for (const one of [child, child.stdin, child.stdout, child.stderr] as (ChildProcess | Socket | null)[])
    if (wanted) one?.ref()
    else one?.unref()
}

/** Ticks of the kernel's clock are hundredths of a second for everybody who asks (proc_pid_stat(5)). */
const cpuMsOf = (pid: number): number | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return 10 * (Number(fields[11]) + Number(fields[12]))
  } catch {
    // No such system, or no such process any more.
    return null
  }
}
