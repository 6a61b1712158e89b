/**
 * A browser that somebody outside its isolation drives: commands go in one by one, and each gets its answer. What comes out is untrusted,
 * so it is bounded and validated.
 */
import type { Readable, Writable } from 'node:stream'
import type { HeldLimits } from '../../protocol/checks/held-limits.ts'
import { compile } from '../../protocol/validate.ts'
import { CannotRun } from '../base/cannot-run.ts'
import { DeadlinePassed } from '../base/deadline.ts'
import { readChildOutput } from '../sandbox/child-output.ts'
import { heldLimits, ifMeasured, tooManyFiles, tooMuchMemory } from '../sandbox/limits.ts'
import { readLines } from '../sandbox/read-lines.ts'
import type { ScriptListener } from '../sandbox/sandbox-options.ts'
import type { ScriptChild } from '../sandbox/start-child.ts'
import { watchFiles } from '../sandbox/watch-files.ts'
import type { BrowsersOptions } from './browsers-options.ts'
import { type PageAct, type PageAnswer, PageEvent, type PageTask } from './page-task.ts'
import { filesOfBrowsers, maxMemoryMb } from './start-browser-child.ts'
import { type TreeUse, watchTree } from './watch-tree.ts'

/** The browser has ended, or had to: nothing more can be done with its page. */
export class PageGone extends Error {
  readonly code: 'TIMEOUT' | 'BROWSER_STOPPED'
  constructor(code: PageGone['code'], why: string) {
    super(`The browser ${why}`)
    this.name = 'PageGone'
    this.code = code
  }
}

/** Does one thing with the page. Rejects with PageGone. */
export type DriveCommand = (act: PageAct) => Promise<PageAnswer>

/** `signal` aborts with PageGone, or with the reason for which the run is cancelled. Whoever drives ends soon after. */
export type Driver<T> = (command: DriveCommand, signal: AbortSignal) => Promise<T>

export type Driven<T> = { value: T; use: TreeUse; limits: HeldLimits }

const validate = compile(PageEvent)
/** Of all answers of a run together. */
const maxBytes = 16 * 1024 * 1024
/** For a browser to close, and to write what it leaves. */
const closeMs = 15_000

type Context<T> = Pick<BrowsersOptions, 'clock'> & {
  child: ScriptChild
  listener: ScriptListener
  /** On the clock that never goes back. */
  stopAt: number
  driver: Driver<T>
}

/** From the task to the end of the browser. Its folder is still there. */
export const drivePage = async <T>(task: PageTask, context: Context<T>): Promise<Driven<T>> => {
  const { child, listener, clock, driver } = context
  const err = readChildOutput(child.process.stderr as Readable)
  readChildOutput(child.process.stdout as Readable)
  const link = connect(context)
  try {
    link.send(task)
    await link.started
    const value = await driver(link.command, link.signal)
    ;(child.process.stdin as Writable).end()
    await Promise.race([link.ended, clock.sleep(closeMs, listener.signal)])
    return { value, use: link.stop(), limits: limitsOf(child) }
  } finally {
    link.stop()
    await child.end()
    if (err() !== '') listener.say('WARN', err())
  }
}

const connect = <T>(context: Context<T>) => {
  const { process: leader } = context.child
  const stdin = leader.stdin as Writable
  const over = new AbortController()
  const started = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  let hasStarted = false
  const give: GiveUp = (reason) => {
    over.abort(reason)
    started.reject(reason)
  }
  // Whoever waits for it is told; it is no unhandled rejection when no one does.
  started.promise.catch(() => undefined)
  // A child that ends early does not read; how it ended says why.
  stdin.on('error', () => undefined)
  leader.once('exit', () => ended.resolve())
  const send = (value: object): void => void stdin.write(`${JSON.stringify(value)}\n`)
  const { command, answered } = createCommands(send, over.signal)
  const watched = watchRun(context, give)
  const onNonsense = (): void =>
    give(new PageGone('BROWSER_STOPPED', 'was stopped: its process said what nobody understands'))
  readLines(leader.stdio[3] as Readable, validate, {
    maxBytes,
    onNonsense,
    onEvent: (event) => {
      if (event.type === 'answer') answered(event)
      else if (event.type === 'ended') ended.resolve()
      // The launcher's word: once the program has begun it is somebody else's.
      else if (hasStarted) onNonsense()
      else if (event.type === 'not-started')
        give(new CannotRun(`This agent cannot start a process for the browser: ${event.problem}`))
      else {
        hasStarted = true
        watched.started()
        started.resolve()
      }
    },
  })
  return {
    ...{ send, command, signal: over.signal, started: started.promise, ended: ended.promise },
    stop: watched.stop,
  }
}

type GiveUp = (reason: unknown) => void

/** Each command waits for the answer with its number, or for the end. */
const createCommands = (send: (value: object) => void, over: AbortSignal) => {
  const waiting = new Map<number, (answer: PageAnswer) => void>()
  let lastId = 0
  const command: DriveCommand = (act) =>
    new Promise((resolve, reject) => {
      lastId += 1
      const fail = (): void => reject(over.reason)
      if (over.aborted) return fail()
      over.addEventListener('abort', fail, { once: true })
      waiting.set(lastId, (answer) => {
        over.removeEventListener('abort', fail)
        resolve(answer)
      })
      send({ id: lastId, ...act })
    })
  const answered = (answer: PageAnswer): void => {
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  }
  return { command, answered }
}

const limitsOf = (child: ScriptChild): HeldLimits =>
  heldLimits({ ...child, memoryMb: maxMemoryMb, filesMb: filesOfBrowsers.mb })

/** All that ends a run from outside: its time, its memory, the agent, and the end of its process. */
const watchRun = <T>({ child, listener, clock, stopAt }: Context<T>, give: GiveUp) => {
  const { process: leader } = child
  const limits = limitsOf(child)
  let use: TreeUse | null = null
  const stop = (code: PageGone['code'], why: string): void => give(new PageGone(code, why))
  let hasStarted = false
  const timeIsUp = (why: string): void => {
    if (hasStarted) stop('TIMEOUT', `was stopped: ${why}`)
    else give(new CannotRun('A process for the browser did not start within the time of the run'))
  }
  const cancelStop = clock.at(Math.max(0, stopAt - clock.monotonic()), () => timeIsUp('its time was up'))
  const tree = watchTree(
    { group: leader.pid as number, maxBytes: limits.memory.mb * 1024 * 1024, clock },
    ifMeasured(limits.memory, () => stop('BROWSER_STOPPED', tooMuchMemory(limits.memory))),
  )
  const { folder } = child
  const disk = watchFiles({ folder, files: filesOfBrowsers, members: tree.members, clock }, () =>
    stop('BROWSER_STOPPED', tooManyFiles(limits.files)),
  )
  leader.once('exit', async (code, signal) => {
    const wasKilled = (await child.group?.ranOutOfMemory()) ?? false
    stop(
      'BROWSER_STOPPED',
      wasKilled ? tooMuchMemory(limits.memory) : `ended (${signal ?? `exit code ${code}`})`,
    )
  })
  const abort = (): void => {
    const { reason } = listener.signal
    if (reason instanceof DeadlinePassed) timeIsUp('the time of the run was up')
    else give(reason)
  }
  listener.signal.addEventListener('abort', abort)
  if (listener.signal.aborted) abort()
  return {
    started: () => {
      hasStarted = true
    },
    stop: (): TreeUse => {
      cancelStop()
      listener.signal.removeEventListener('abort', abort)
      disk.stop()
      use ??= tree.stop()
      return use
    },
  }
}
