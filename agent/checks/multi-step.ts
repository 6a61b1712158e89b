import { ScriptSpec } from '../../protocol/checks/script-spec.ts'
import { sharedResult } from '../browser/results.ts'
import { jobRunner, type Runner } from './runner.ts'
import { type BrowserIo, runScriptCheck } from './script-check.ts'

/**
 * A script of several requests: by the same library, or the same test runner, as those of browser checks, without a browser. It
 * runs where a runtime with Playwright is installed.
 */
export const multiStepRunner: Runner<BrowserIo> = {
  ...jobRunner(ScriptSpec, runScriptCheck({ withBrowser: false, detail: sharedResult })),
  isAvailable: ({ browsers }) => browsers.known()?.library === true,
}
