import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { StartError, say } from './show.ts'

type Environment = Readonly<Record<string, string | undefined>>
/** A program of ours. `entry` is a path inside the clone; `env` is asked at every start. */
export type Program = {
  name: string
  entry: string
  nodeArguments?: readonly string[]
  env: () => Environment
  readinessUrl: string
  stopTimeoutMs: number
}
/** `ready` resolves at the first readiness. `stop` gives the program its time, `kill` none. */
export type SupervisedProgram = { ready: Promise<void>; stop: () => Promise<void>; kill: () => void }

const longestPauseMs = 30_000

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(1000) }).catch(() => null)
  await answer?.body?.cancel()
  return answer?.status === 200
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  process.kill(-child.pid, 'SIGKILL')
}

/** Keeps a program running. `ready` rejects if it ends before it was ever ready: then starting again is no use. */
export function supervise(program: Program, onLine: (line: string) => void): SupervisedProgram {
  const stopping = new AbortController()
  const becameReady = Promise.withResolvers<void>()
  let child: ChildProcess
  let wasReady = false

  const start = () => {
    // Its own process group: Ctrl-C must reach only us. The IPC channel tells the program if we are killed.
    const started = spawn(
      process.execPath,
      [...(program.nodeArguments ?? []), fileURLToPath(new URL(`../${program.entry}`, import.meta.url))],
      {
        env: program.env(),
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      },
    )
    if (started.stdout) createInterface({ input: started.stdout }).on('line', onLine)
    if (started.stderr) createInterface({ input: started.stderr }).on('line', onLine)
    child = started
    return once(started, 'exit')
  }

  const watchReadiness = async () => {
    while (!stopping.signal.aborted && !(await isReady(program.readinessUrl))) await sleep(100)
    wasReady = true
    becameReady.resolve()
  }

  const keepRunning = async () => {
    for (let pauseMs = 1000; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const startedAt = performance.now()
      const [code, signal] = await start()
      if (stopping.signal.aborted) return
      if (!wasReady)
        throw new StartError(`${program.name} ended before it was ready (${signal ?? `exit code ${code}`}).`)
      if (performance.now() - startedAt > 2 * longestPauseMs) pauseMs = 1000
      say(
        `${program.name} ended (${signal ?? `exit code ${code}`}); starting it again in ${pauseMs / 1000} s.`,
      )
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) return
    }
  }

  const ended = keepRunning()
  ended.catch(becameReady.reject)
  watchReadiness()
  const stop = async () => {
    stopping.abort()
    becameReady.resolve()
    child.kill('SIGTERM')
    const timer = setTimeout(() => killGroup(child), program.stopTimeoutMs)
    await ended.catch(() => undefined) // reported through `ready`
    clearTimeout(timer)
  }
  return { ready: becameReady.promise, stop, kill: () => killGroup(child) }
}
