import type { HeldLimits } from '../../../protocol/checks/held-limits.ts'
import type { PathRule } from '../../isolation/landlock.ts'
import type { ScriptListener } from '../../sandbox/sandbox-options.ts'
import type { TreeUse } from '../watch-tree.ts'
import type { SuiteFolder } from './suite-folder.ts'
import type { SuitesOptions } from './suites-options.ts'
import type { StageTask } from './task.ts'

/** `limit`: what it was stopped for, in words. `reason`: of what it printed what says why it failed, else the last lines. */
export type StageEnding = {
  code: number | null
  limit: string | null
  reason: string
  use: TreeUse
  limits: HeldLimits
  startedAt: number
  endedAt: number
}

export type Stage = {
  /** In a sentence: "The install command". */
  name: string
  task: StageTask
  /** Beside the folder's own. */
  files: readonly PathRule[]
  /** Chromium builds a sandbox of its own. */
  ownSandbox: boolean
  timeMs: number
  maxMemoryMb: number
  /** It has something to put away when it is stopped. */
  softly: boolean
}

export type StageContext = { suiteFolder: SuiteFolder; options: SuitesOptions; listener: ScriptListener }
