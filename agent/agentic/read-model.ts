import { decimal, httpUrl, integer, textOf, type VariableSource } from '../base/read-variables.ts'
import type { ModelSettings } from './model.ts'

const needed = ['AGENT_LLM_BASE_URL', 'AGENT_LLM_API_KEY', 'AGENT_LLM_MODEL'] as const

/** Null where nothing is set; a part of it is a problem. */
export const readModel = (source: VariableSource): Readonly<ModelSettings> | null => {
  const limits = readLimits(source)
  const missing = needed.filter((name) => textOf(source, name) === null)
  if (missing.length === needed.length) return null
  if (missing.length > 0)
    source.problems.push(
      `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing: agentic checks need ${needed.join(', ')}`,
    )
  return Object.freeze({
    baseUrl: httpUrl(source, 'AGENT_LLM_BASE_URL') ?? '',
    apiKey: textOf(source, 'AGENT_LLM_API_KEY') ?? '',
    model: textOf(source, 'AGENT_LLM_MODEL') ?? '',
    ...limits,
  })
}

const readLimits = (source: VariableSource): Omit<ModelSettings, 'baseUrl' | 'apiKey' | 'model'> => {
  const limits = {
    timeoutMs: integer(source, 'AGENT_LLM_TIMEOUT_SECONDS', { fallback: 60, range: [1, 240] }) * 1000,
    maxSteps: integer(source, 'AGENT_LLM_MAX_STEPS', { fallback: 40, range: [1, 200] }),
    maxTokens: integer(source, 'AGENT_LLM_MAX_TOKENS', { fallback: 200_000, range: [1000, 10_000_000] }),
    dailyTokens: integer(source, 'AGENT_LLM_DAILY_TOKENS', {
      fallback: 5_000_000,
      range: [1000, 1_000_000_000_000],
    }),
    inputPrice: decimal(source, 'AGENT_LLM_INPUT_PRICE'),
    outputPrice: decimal(source, 'AGENT_LLM_OUTPUT_PRICE'),
    maxCost: decimal(source, 'AGENT_LLM_MAX_COST'),
  }
  if (limits.maxCost !== null && limits.inputPrice === null && limits.outputPrice === null)
    source.problems.push('AGENT_LLM_MAX_COST needs AGENT_LLM_INPUT_PRICE or AGENT_LLM_OUTPUT_PRICE')
  return limits
}
