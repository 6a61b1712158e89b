import { ScriptSpec } from '../../protocol/checks/script-spec.ts'
import { multiStepResult } from '../browser/results.ts'
import { jobRunner, type Runner } from './runner.ts'
import { runScriptCheck } from './script-check.ts'

/** A script of several requests: by the same library, without a browser. */
export const multiStepRunner: Runner = {
  ...jobRunner(ScriptSpec, runScriptCheck({ withBrowser: false, detail: multiStepResult })),
  isAvailable: ({ browsers }) => browsers.known()?.library === true,
}
