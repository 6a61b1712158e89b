/**
 * What goes into the processes of a suite, and what comes out of them. A stage is told its command by a line of JSON on standard
 * input (`StageTask`) and tells how it went on descriptor 3 (`StageEvent`). What Playwright has to know lies in the environment
 * (`SuiteSettings`), what its tests did in a file (`SuiteState`).
 */
import { type Static, Type } from 'typebox'
import { maxSuiteTests, SuiteCounts, SuiteTest } from '../../../protocol/checks/playwright-result.ts'
import type { RunSettings } from '../task.ts'

export type StageTask = { command: string; cwd: string; env: Record<string, string> }

export const StageEvent = Type.Union([
  Type.Object({ type: Type.Literal('started') }),
  Type.Object({ type: Type.Literal('not-started'), problem: Type.String() }),
  Type.Object({
    type: Type.Literal('ended'),
    code: Type.Union([Type.Integer(), Type.Null()]),
    signal: Type.Union([Type.String(), Type.Null()]),
  }),
])
export type StageEvent = Static<typeof StageEvent>

export type SuiteSettings = RunSettings & {
  /** From the folder where Playwright is started; null: it looks itself. */
  configPath: string | null
  projects: readonly string[]
  tags: readonly string[]
  /** What records pages; null: nothing does. */
  ffmpeg: string | null
}

/** Written anew while the tests go on, so that what they did is known when they are stopped. */
export const SuiteState = Type.Object({
  playwrightVersion: Type.String({ maxLength: 100 }),
  tests: Type.Array(SuiteTest, { maxItems: maxSuiteTests }),
  counts: SuiteCounts,
  /** Those of no test. */
  errors: Type.Array(Type.String(), { maxItems: 50 }),
  /** Null: it did not come to its end. */
  status: Type.Union([Type.String({ maxLength: 50 }), Type.Null()]),
})
export type SuiteState = Static<typeof SuiteState>
