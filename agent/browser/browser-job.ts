import type { ScriptSpec } from '../../protocol/checks/script-spec.ts'
import type { Collected } from './collect-files.ts'
import type { BrowserEnding } from './run-browser-child.ts'

export type BrowserJob = {
  spec: ScriptSpec
  runtimeId: string | null
  variables: Record<string, string>
  secretNames: readonly string[]
  /** False: a check that has none, or does without. */
  withBrowser: boolean
  /** What it does is recorded, for the case that it fails. */
  traces: boolean
  userAgent: string
  /** Its trace is kept even if it passes. */
  isRetry: boolean
  /** When a script that still runs is to be stopped. */
  timeMs: number
}

/** `problem`: why the script was never run, in a sentence about it. */
export type BrowserRun = BrowserEnding & Collected & { sandbox: boolean | null }
