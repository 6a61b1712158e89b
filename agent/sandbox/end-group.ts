import type { ChildProcess } from 'node:child_process'
import type { TimerClock } from '../../protocol/clock.ts'
import type { Host } from './sandbox-options.ts'

const termGraceMs = 300
const closeGraceMs = 1000

type Tools = { host: Pick<Host, 'kill'>; clock: Pick<TimerClock, 'sleep'> }

/** A polite word first: a script's own processes may have something to put away. */
export const endGroup = async (child: ChildProcess, { host, clock }: Tools): Promise<void> => {
  const exited = once(child, 'exit', child.exitCode !== null || child.signalCode !== null)
  const gone = once(
    child,
    'close',
    child.stdio.every((stream) => stream?.closed ?? true),
  )
  signalGroup(child, host, 'SIGTERM')
  await within(exited, termGraceMs, clock)
  signalGroup(child, host, 'SIGKILL')
  await within(gone, closeGraceMs, clock)
  // Whoever still holds the other ends cannot keep ours.
  for (const stream of child.stdio) stream?.destroy()
}

const signalGroup = (
  { pid }: ChildProcess,
  host: Tools['host'],
  signal: Parameters<Host['kill']>[1],
): void => {
  try {
    host.kill(-(pid as number), signal)
  } catch (error) {
    // kill(2): no such group, or (not on Linux) one that only waits to be reaped: what we want.
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}

type Exit = (code: number | null, signal: string | null) => void

/** Calls `act` once the leader of a group has ended by itself and what it had said is read; the group ends with it. */
export const whenGone = (
  leader: ChildProcess,
  { host, clock }: Pick<Tools, 'host'> & { clock: Pick<TimerClock, 'at'> },
  act: Exit,
): void => {
  leader.once('exit', (code, signal) => {
    // Descendants would hold the pipes open; what it said before may still be on its way.
    signalGroup(leader, host, 'SIGKILL')
    const late = clock.at(closeGraceMs, () => act(code, signal))
    leader.once('close', () => {
      late()
      act(code, signal)
    })
  })
}

const once = (child: ChildProcess, event: 'exit' | 'close', isOver: boolean): Promise<void> =>
  isOver ? Promise.resolve() : new Promise((resolve) => child.once(event, () => resolve()))

const within = async (promise: Promise<void>, timeoutMs: number, clock: Tools['clock']): Promise<void> => {
  const over = new AbortController()
  await Promise.race([promise.finally(() => over.abort()), clock.sleep(timeoutMs, over.signal)])
}
