/** The OpenAI-compatible endpoint that analyses errors. */
import type { Reader, Variable } from '../../platform/settings/reading.ts'

export type AnalystSettings = { baseUrl: string; apiKey: string | null; model: string }

/** Null: the built-in rules do. */
export type HasAnalyst = { config: { analyst: AnalystSettings | null } }

export const analystVariables: readonly Variable[] = [
  {
    name: 'RCA_BASE_URL',
    default: 'unset: built-in rules',
    meaning: 'OpenAI-compatible endpoint for root cause analyses, for example https://host/v1',
  },
  { name: 'RCA_API_KEY', secret: true, default: 'unset', meaning: 'bearer key of that endpoint' },
  { name: 'RCA_MODEL', default: 'unset', meaning: 'model to ask for there; required with RCA_BASE_URL' },
]

export const readAnalyst = ({ text, matching, problems }: Reader): AnalystSettings | null => {
  const baseUrl = matching('RCA_BASE_URL', /^https?:\/\/[^\s/]+/, 'an http or https address')
  const [apiKey, model] = [text('RCA_API_KEY'), text('RCA_MODEL')]
  if (baseUrl === null) {
    if (apiKey !== null || model !== null) problems.push('RCA_API_KEY and RCA_MODEL need RCA_BASE_URL')
    return null
  }
  if (model === null) problems.push('RCA_MODEL is required with RCA_BASE_URL')
  return Object.freeze({ baseUrl: baseUrl.replace(/\/+$/, ''), apiKey, model: model ?? '' })
}
