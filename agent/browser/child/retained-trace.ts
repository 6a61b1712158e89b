import { statSync } from 'node:fs'
import { fileOfRunner } from './load-ahead.ts'

type Mode = { mode?: unknown }

const enough = ['on', 'retain-on-failure', 'retain-on-first-failure']

/**
 * What a test's own setting of traces becomes: every attempt that fails leaves one, and there are more if the setting says so. Whoever
 * never wants one, or only of what is tried again, would have nothing to look at when a check fails; without the film of the
 * pages, which they have not asked for, it costs two thirds: some 5 ms of processor time for each call of Playwright's.
 */
export const retainedTrace = (wanted: unknown): unknown => {
  const options = typeof wanted === 'object' && wanted !== null ? (wanted as Mode) : { mode: wanted }
  return enough.includes(String(options.mode))
    ? wanted
    : { screenshots: false, ...options, mode: 'retain-on-failure' }
}

type TraceEvent = { attachments?: { path?: string }[] }
type Tracing = { _traceEvents?: TraceEvent[] }

type TestTracing = {
  TestTracing?: {
    prototype: {
      startIfNeeded?(this: Tracing, value: unknown): Promise<void>
      stopIfNeeded?(this: Tracing): Promise<void>
    }
  }
}

/** It lies beside the trace as well. To pack more twice takes longer than a test may, and leaves a trace that nobody can read. */
const maxAttachedBytes = 20 * 1024 * 1024

const isLarge = ({ path }: { path?: string }): boolean =>
  path !== undefined && (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxAttachedBytes

/** In a worker of the test runner: wherever the setting comes from, such as `test.use` or an argument of the command. */
export const retainTraces = (require: NodeJS.Require): void => {
  const { prototype } = tracingOf(require) ?? {}
  const { startIfNeeded, stopIfNeeded } = prototype ?? {}
  if (prototype === undefined || startIfNeeded === undefined) return
  prototype.startIfNeeded = function (value) {
    return startIfNeeded.call(this, retainedTrace(value))
  }
  if (stopIfNeeded === undefined) return
  prototype.stopIfNeeded = function () {
    for (const event of this._traceEvents ?? [])
      if (event.attachments !== undefined)
        event.attachments = event.attachments.filter((one) => !isLarge(one))
    return stopIfNeeded.call(this)
  }
}

const tracingOf = (require: NodeJS.Require): TestTracing['TestTracing'] => {
  try {
    return (require(fileOfRunner(require, 'worker/testTracing')) as TestTracing).TestTracing
  } catch {
    // Very old suites have it elsewhere: their configuration alone is held to it.
    return undefined
  }
}
