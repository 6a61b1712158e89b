import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { after, noteDeath, type Seen } from './seen.ts'

const { process } = globalThis

/** They end what used more than a run may use, which is the script's doing. */
const ofLimits: ReadonlySet<string> = new Set(['SIGXCPU', 'SIGXFSZ'])
/** For the kernel to say how a process ended whose pipes are closed. */
const sayMs = 1000

/**
 * Writes down by which signal a Chromium of this process died that nobody here has ended. Playwright tells of its end, and not
 * of the signal.
 */
export const watchChromium = (path: string, seen: Seen): { settled(): Promise<void> } => {
  const running = new Set<ChildProcess>()
  const ended = new Set<number>()
  const kill = process.kill.bind(process)
  process.kill = (pid, signal) => {
    if (signal !== 0) ended.add(Math.abs(pid))
    return kill(pid, signal)
  }
  subscribe('child_process', (message) => {
    const { process: child } = message as { process: ChildProcess }
    running.add(child)
    child.once('exit', (_, signal) => {
      running.delete(child)
      const isOurs = child.killed || ended.has(child.pid ?? 0)
      if (child.spawnfile !== path || signal === null || isOurs || ofLimits.has(signal)) return
      noteDeath(seen, `Chromium was ended by ${signal}`)
    })
  })
  return {
    settled: async () => {
      const dying = [...running].filter((child) => child.spawnfile === path && child.stdio.some(isOver))
      await Promise.race([Promise.all(dying.map((child) => once(child, 'exit'))), after(sayMs)])
    },
  }
}

const isOver = (stream: ChildProcess['stdio'][number]): boolean =>
  stream != null && (stream.destroyed || (stream as Readable).readableEnded)
