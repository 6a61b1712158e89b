/** How the model ends a run. Pure. */
import { type Static, Type } from 'typebox'
import { type AgenticSuggestion, suggestionCategories } from '../../protocol/checks/agentic-result.ts'
import { compile } from '../../protocol/validate.ts'

/** `completed`: whether the model says that it could do the task. That it says so proves nothing. */
export type LastWord = { completed: boolean; summary: string; suggestions: AgenticSuggestion[] }

const Suggestion = Type.Object({
  summary: Type.String({ minLength: 1 }),
  prompt: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  promptReplacement: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  secrets: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  category: Type.Enum([...suggestionCategories]),
})
const Said = Type.Object({
  completed: Type.Optional(Type.Boolean()),
  summary: Type.String(),
  suggestions: Type.Optional(Type.Union([Type.Array(Type.Unknown()), Type.Null()])),
})

const validSaid = compile(Said)
const validSuggestion = compile(Suggestion)
const maxSuggestions = 10
const maxText = 4000

/** A model that does not keep to the form has still said something. */
export const lastWordIn = (content: string): LastWord => {
  const [, fenced = content] = /^\s*```(?:json)?\s*([\s\S]*?)\s*```\s*$/.exec(content) ?? []
  const said = validSaid(json(fenced))
  if (!said.ok) return { completed: true, summary: content.slice(0, maxText), suggestions: [] }
  const { completed = true, summary, suggestions } = said.value
  return {
    completed,
    summary: summary.slice(0, maxText),
    suggestions: (suggestions ?? []).slice(0, maxSuggestions).flatMap((one) => {
      const checked = validSuggestion(one)
      return checked.ok ? [bounded(checked.value)] : []
    }),
  }
}

const bounded = (one: Static<typeof Suggestion>): AgenticSuggestion => ({
  summary: one.summary.slice(0, 1000),
  prompt: (one.prompt ?? '').slice(0, maxText),
  promptReplacement: (one.promptReplacement ?? '').slice(0, maxText),
  secrets: (one.secrets ?? []).slice(0, 20).map((name) => name.slice(0, 255)),
  category: one.category,
})

const json = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // Words, then.
    return undefined
  }
}
