import { type Static, Type } from 'typebox'
import { HeldLimits } from './held-limits.ts'

/**
 * Texts have no format and no closed list here: where a secret is a part of one, it is taken out after the run, and the result
 * has to remain one. The agent bounds them.
 */
const Count = Type.Integer({ minimum: 0 })

/** What our own code found on the page; the model only chooses what to look at. */
export const AgenticAssertion = Type.Object({
  condition: Type.String(),
  passed: Type.Boolean(),
  actual: Type.String(),
  expected: Type.String(),
})
export type AgenticAssertion = Static<typeof AgenticAssertion>

export const suggestionCategories = ['credentials', 'endpoint', 'configuration'] as const

/** `prompt`: the part of the task that `promptReplacement` is to take the place of; `secrets`: names of variables. */
export const AgenticSuggestion = Type.Object({
  summary: Type.String(),
  prompt: Type.String(),
  promptReplacement: Type.String(),
  secrets: Type.Array(Type.String()),
  category: Type.String({ description: suggestionCategories.join(', ') }),
})
export type AgenticSuggestion = Static<typeof AgenticSuggestion>

export const stepTypes = ['tool_call', 'tool_result', 'message'] as const

/** `tool_call`: what the model asked for; `tool_result`: what came of it; `message`: what it said. */
export const AgenticStep = Type.Object({
  type: Type.String({ description: stepTypes.join(', ') }),
  name: Type.String(),
  input: Type.Object({}, { additionalProperties: true }),
  output: Type.String(),
  timestamp: Type.String({ description: 'date-time' }),
  sequenceNumber: Type.Integer({ minimum: 1 }),
})
export type AgenticStep = Static<typeof AgenticStep>

/** The addresses of files are the control plane's: it knows them once they are uploaded. */
const ArtifactManifest = Type.Object({
  entries: Type.Array(Type.Object({ type: Type.String(), url: Type.String() })),
})

/** `cost` in the currency of the agent's prices; null where it has none. */
const Usage = Type.Object({
  toolCalls: Count,
  inputTokens: Count,
  outputTokens: Count,
  cost: Type.Union([Type.Number({ minimum: 0 }), Type.Null()]),
})

export const AgenticCheckResult = Type.Object({
  summary: Type.String(),
  prompt: Type.String(),
  assertions: Type.Array(AgenticAssertion),
  suggestions: Type.Array(AgenticSuggestion),
  steps: Type.Array(AgenticStep),
  errors: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
  artifactManifest: ArtifactManifest,
  model: Type.String(),
  usage: Usage,
  startTime: Count,
  endTime: Count,
  browserVersion: Type.Union([Type.String(), Type.Null()]),
  sandbox: Type.Union([Type.Boolean(), Type.Null()]),
  resources: Type.Object({ peakMemoryMb: Count, cpuMs: Count }),
  limits: Type.Optional(Type.Union([HeldLimits, Type.Null()])),
})
export type AgenticCheckResult = Static<typeof AgenticCheckResult>
