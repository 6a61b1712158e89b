import type { SeenState } from './task.ts'

/** Of a process that has just begun, and of a run that never did. */
export const nothingSeen = (): SeenState => ({
  browserVersion: null,
  browserDeath: null,
  consoleErrors: 0,
  networkErrors: 0,
  documentErrors: 0,
  userScriptErrors: 0,
  pages: [],
  leftOut: [],
  steps: [],
  pageErrors: [],
  hidden: [],
})
