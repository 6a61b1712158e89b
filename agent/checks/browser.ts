import { ScriptSpec } from '../../protocol/checks/script-spec.ts'
import { browserResult } from '../browser/results.ts'
import { jobRunner, type Runner } from './runner.ts'
import { runScriptCheck } from './script-check.ts'

/** A script that drives a browser. */
export const browserRunner: Runner = {
  ...jobRunner(ScriptSpec, runScriptCheck({ withBrowser: true, detail: browserResult })),
  isAvailable: ({ browsers }) => (browsers.known()?.chromium ?? null) !== null,
}
