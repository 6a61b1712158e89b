/**
 * What goes into a child process and what comes out of it. Into it: one line of JSON on its standard input (`ChildTask`),
 * then the response's body as it came. Out of it: lines of JSON on its descriptor 3, each a `ScriptEvent`.
 */
import { type Static, Type } from 'typebox'
import type { ApiScript } from '../../protocol/checks/api.ts'
import type { HttpTimingPhases, HttpTimings } from '../../protocol/checks/http-result.ts'

/** The request as scripts see it. */
export type ScriptRequest = {
  method: string
  url: string
  headers: Record<string, string>
  queryParameters: Record<string, string>
  body: string
}

/** The response as scripts see it. Times in milliseconds. */
type ScriptResponse = {
  status: number
  statusCode: number
  statusText: string
  headers: Record<string, string | string[]>
  timings: HttpTimings
  timingPhases: HttpTimingPhases
}

type Phase = 'setup' | 'teardown'

/** One script with all that it may see. */
export type ScriptTask = {
  phase: Phase
  script: ApiScript
  runtimeId: string | null
  /** What it may require as `./snippets/<name>.js`. */
  snippets: readonly ApiScript[]
  variables: ReadonlyMap<string, string>
  /** Names of variables whose values are secrets, also those that scripts give them. */
  secretNames: readonly string[]
  request: ScriptRequest
  /** null in setup, and after a request without an answer. */
  response: ScriptResponse | null
  /** The response's body, with the charset of its text. */
  body: { bytes: Buffer; contentType: string } | null
}

/**
 * What of its runtime a script may load. `names` is null where the agent does not have the runtime, and `modules`, the real
 * folder that holds them, where they are not installed.
 */
export type RuntimePackages = { names: readonly string[] | null; modules: string | null }

/** The first line of a child's input. */
export type ChildTask = {
  phase: Phase
  code: string
  runtimeId: string | null
  packages: RuntimePackages
  /** The folder's files of snippets by name. */
  snippetFiles: Record<string, string>
  variables: Record<string, string>
  secretNames: readonly string[]
  request: ScriptRequest
  response: ScriptResponse | null
  contentType: string
  extraCaCerts: string | null
  /** Of the loopback: the only one that it may reach. */
  egressProxyPort: number
  /** Whether the location has a proxy. */
  hasProxy: boolean
}

const texts = Type.Record(Type.String(), Type.String())

/** Only what the script changed. */
export const Changes = Type.Object({
  request: Type.Object({
    method: Type.Optional(Type.String()),
    url: Type.Optional(Type.String()),
    headers: Type.Optional(texts),
    queryParameters: Type.Optional(texts),
    body: Type.Optional(Type.String()),
  }),
  responseBody: Type.Optional(Type.String()),
  /** Variables by name; null: deleted. */
  variables: Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()])),
})
export type Changes = Static<typeof Changes>

/** `line`: where in the script, from 1, or null. */
export const ScriptEvent = Type.Union([
  Type.Object({ type: Type.Literal('started') }),
  Type.Object({
    type: Type.Literal('log'),
    level: Type.Enum(['DEBUG', 'INFO', 'WARN', 'ERROR']),
    msg: Type.String(),
  }),
  /** The launcher's (`agent/isolation/enter-isolation.ts`): the child is none. */
  Type.Object({ type: Type.Literal('not-started'), problem: Type.String() }),
  Type.Object({ type: Type.Literal('hide'), value: Type.String() }),
  Type.Object({ type: Type.Literal('done'), changes: Changes }),
  Type.Object({
    type: Type.Literal('threw'),
    message: Type.String(),
    line: Type.Union([Type.Integer(), Type.Null()]),
  }),
])
export type ScriptEvent = Static<typeof ScriptEvent>

/** `problem`: a sentence for people that names the script. */
export type ScriptAnswer = { ok: true; changes: Changes } | { ok: false; problem: string }

/** How long one script may run. */
export const scriptTimeMs = 10_000
/** Of what a script hands over as JSON. */
export const maxAnswerBytes = 256 * 1024
/** Of what it prints. */
export const maxLogBytes = 32 * 1024
/** Of the objects of a script. */
export const maxHeapMb = 192
/** Of its process with all that it has started. */
export const maxMemoryMb = 320
/** Of the folder that it may write. Little of it is ever used, and so it is memory. */
export const filesOfScripts = { on: 'memory', mb: 64, files: 1000 } as const
/** Of the headers, and as many query parameters, variables that it changes, and values that it hides. */
export const maxScriptItems = 1000
/** Of the values that all scripts of a run hide. */
export const maxHiddenBytes = 128 * 1024
