/**
 * What goes into a process that runs a script of Playwright, and what comes out of it. Into it: one line of JSON on its standard
 * input (`BrowserTask`). Out of it: lines of JSON on its descriptor 3, each a `BrowserEvent`; and files in its folder.
 */
import { type Static, Type } from 'typebox'
import { scriptBounds } from '../../protocol/checks/script-bounds.ts'
import { PageError, ScriptStep } from '../../protocol/checks/script-result.ts'

/** `library`: a program that uses Playwright. `test`: a file for its test runner. */
export type Style = 'library' | 'test'

/** How this agent's browser is launched. */
export type Chromium = {
  path: string
  /** Whether its own sandbox holds its pages. */
  sandbox: boolean
  /** Whether pages can be recorded. */
  videos: boolean
  args: readonly string[]
}

export type BrowserTask = {
  style: Style
  /** Path of the script in the folder of its files. */
  entry: string
  variables: Record<string, string>
  secretNames: readonly string[]
  /** null: a check without a browser. */
  chromium: Chromium | null
  /** Added to every name by which a browser tells what it is. */
  userAgent: string
  /** A trace is kept: for the case that the run fails, or whatever comes of it. */
  traces: boolean
  keepsTraces: boolean
}

/** What both kinds of processes of a run, the runner's and its workers', have to know: in the environment, as JSON. */
export type RunSettings = {
  folder: string
  egressProxyPort: number
  task: Pick<BrowserTask, 'secretNames' | 'chromium' | 'userAgent' | 'traces' | 'style'>
}

/** `line`: where, from 1. `path`: of the file that it is a line of, in the folder of the script; null: the script itself. */
const ScriptError = Type.Object({
  message: Type.String(),
  line: Type.Union([Type.Integer(), Type.Null()]),
  path: Type.Union([Type.String({ maxLength: 1000 }), Type.Null()]),
})

export const BrowserEvent = Type.Union([
  Type.Object({ type: Type.Literal('started') }),
  Type.Object({ type: Type.Literal('not-started'), problem: Type.String() }),
  /** What was run as a program is a file of tests: it has come to its first one. */
  Type.Object({ type: Type.Literal('declares-tests') }),
  Type.Object({
    type: Type.Literal('log'),
    level: Type.Enum(['DEBUG', 'INFO', 'WARN', 'ERROR']),
    msg: Type.String(),
  }),
  /** Nothing more comes. Without an error the script has passed. */
  Type.Object({ type: Type.Literal('ended'), errors: Type.Array(ScriptError, { maxItems: 100 }) }),
])
export type BrowserEvent = Static<typeof BrowserEvent>
export type ScriptError = Static<typeof ScriptError>

/** `videos`: there is nothing to record pages with. `proxy`: all that a run sends goes by the agent's way. */
const LeftOut = Type.Enum(['videos', 'proxy'])
export type LeftOut = Static<typeof LeftOut>

/** What a process of the run has seen, in a file that it writes anew from time to time. */
export const SeenState = Type.Object({
  browserVersion: Type.Union([Type.String({ maxLength: 100 }), Type.Null()]),
  /** How the browser died, or a page of it, in words. */
  browserDeath: Type.Union([Type.String({ maxLength: 100 }), Type.Null()]),
  consoleErrors: Type.Integer({ minimum: 0 }),
  networkErrors: Type.Integer({ minimum: 0 }),
  documentErrors: Type.Integer({ minimum: 0 }),
  userScriptErrors: Type.Integer({ minimum: 0 }),
  pages: Type.Array(
    Type.Object({
      url: Type.String({ maxLength: 2048 }),
      values: Type.Record(Type.String({ maxLength: 10 }), Type.Number({ minimum: 0 })),
    }),
    { maxItems: 100 },
  ),
  /** The last ones. */
  steps: Type.Array(ScriptStep, { maxItems: scriptBounds.steps }),
  /** The first ones. */
  pageErrors: Type.Array(PageError, { maxItems: scriptBounds.pageErrors }),
  /** What the script wanted, and did not get. */
  leftOut: Type.Array(LeftOut, { maxItems: 10 }),
  /** Values that became secrets while the script ran. */
  hidden: Type.Array(Type.String()),
})
export type SeenState = Static<typeof SeenState>

/** Of what a run prints. */
export const maxLogBytes = 256 * 1024
