import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SeenState } from '../task.ts'

/** What this process has seen of pages, kept in a file so that nothing of it is lost when the run is stopped. */
export type Seen = {
  state: SeenState
  /** There is something new. */
  changed(): void
  flush(): void
}

const writeEveryMs = 250
const maxHidden = 200

const { process } = globalThis

export const openSeen = (folder: string): Seen => {
  const state: SeenState = {
    ...{ browserVersion: null, consoleErrors: 0, networkErrors: 0, documentErrors: 0, userScriptErrors: 0 },
    ...{ pages: [], leftOut: [], hidden: [] },
  }
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
    changed: () => {
      timer ??= setTimeout(flush, writeEveryMs).unref()
    },
    flush,
  }
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
