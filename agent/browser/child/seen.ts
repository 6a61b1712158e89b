import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptBounds } from '../../../protocol/checks/script-bounds.ts'
import type { PageError, ScriptStep } from '../../../protocol/checks/script-result.ts'
import { nothingSeen } from '../nothing-seen.ts'
import type { SeenState } from '../task.ts'

/** What this process has seen of pages, kept in a file so that nothing of it is lost when the run is stopped. */
export type Seen = {
  state: SeenState
  now(): number
  /** There is something new. */
  changed(): void
  flush(): void
}

const writeEveryMs = 250
const maxHidden = 200

const { process } = globalThis

export const openSeen = (folder: string): Seen => {
  const state = nothingSeen()
  const { pid } = process
  const file = join(folder, `${pid}.json`)
  mkdirSync(folder, { recursive: true })
  let timer: NodeJS.Timeout | null = null
  const flush = (): void => {
    if (timer === null) return
    clearTimeout(timer)
    timer = null
    writeFileSync(`${file}.part`, JSON.stringify(state))
    renameSync(`${file}.part`, file)
  }
  process.on('exit', flush)
  return {
    state,
    now: () => Date.now(),
    changed: () => {
      timer ??= setTimeout(flush, writeEveryMs).unref()
    },
    flush,
  }
}

export const keepStep = ({ state, changed }: Seen, step: ScriptStep): void => {
  const { stepTitle, stepDepth, steps } = scriptBounds
  state.steps.push({
    ...step,
    title: step.title.slice(0, stepTitle),
    depth: Math.min(step.depth, stepDepth),
    startedAt: Math.max(0, Math.floor(step.startedAt)),
    durationMs: Math.max(0, Math.round(step.durationMs)),
  })
  if (state.steps.length > steps) state.steps.shift()
  changed()
}

export const keepPageError = ({ state, changed }: Seen, { source, text, url, line }: PageError): void => {
  const { pageErrors, errorText, url: longestUrl } = scriptBounds
  if (state.pageErrors.length >= pageErrors) return
  state.pageErrors.push({ source, text: text.slice(0, errorText), url: url.slice(0, longestUrl), line })
  changed()
}
/** Written at once: little may be left of the run. The first one explains the others. */
export const noteDeath = ({ state, changed, flush }: Seen, death: string): void => {
  state.browserDeath ??= death
  changed()
  flush()
}

/** The processes of runs have their timers here. */
export const after = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/** A value that became a secret: written at once, because what comes after it may show it. */
export const hideIn =
  (seen: Seen) =>
  (value: string): void => {
    if (seen.state.hidden.length >= maxHidden)
      throw new Error(`a run may have ${maxHidden} secrets of its own`)
    seen.state.hidden.push(value)
    seen.changed()
    seen.flush()
  }
