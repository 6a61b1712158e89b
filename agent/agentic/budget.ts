import { charactersPerToken, type Model, type ModelAnswer, type ModelSettings } from './model.ts'

export type Usage = { toolCalls: number; inputTokens: number; outputTokens: number; cost: number | null }

/** What a run may still use. What it would use is asked before, what it has used is told after. */
export type Budget = {
  /** Why no more may be asked, or null. `characters`: of the question. */
  refusal(characters: number): string | null
  /** Of an answer. */
  maxAnswerTokens(characters: number): number
  spend(answer: Pick<ModelAnswer, 'inputTokens' | 'outputTokens'>): void
  /** Takes a tool call; false: there is none left. */
  takeCall(): boolean
  usage(): Usage
}

const perMillion = 1_000_000
/** More is never needed for a few calls or a summary. */
const longestAnswer = 4096
/** Fewer are no use. */
const shortestAnswer = 16

export const createBudget = ({ settings, leftToday }: Pick<Model, 'settings' | 'leftToday'>): Budget => {
  const { maxSteps, maxTokens, maxCost } = settings
  let toolCalls = 0
  let inputTokens = 0
  let outputTokens = 0
  const cost = (): number | null => costOf(settings, inputTokens, outputTokens)
  const left = (characters: number): number => maxTokens - inputTokens - outputTokens - tokensIn(characters)
  return {
    refusal: (characters) => {
      if (left(characters) < shortestAnswer) return `it has used the ${maxTokens} tokens that a run may use`
      if (leftToday() <= 0)
        return `this agent has used the ${settings.dailyTokens} tokens of its runs of a day`
      const next = costOf(settings, inputTokens + tokensIn(characters), outputTokens)
      return maxCost !== null && next !== null && next >= maxCost
        ? `it has cost the ${maxCost} that a run may cost`
        : null
    },
    maxAnswerTokens: (characters) => {
      const byTokens = Math.min(longestAnswer, left(characters))
      const { outputPrice } = settings
      if (maxCost === null || !outputPrice) return byTokens
      const rest = maxCost - (costOf(settings, inputTokens + tokensIn(characters), outputTokens) ?? 0)
      return Math.max(shortestAnswer, Math.min(byTokens, Math.floor((rest * perMillion) / outputPrice)))
    },
    spend: (answer) => {
      inputTokens += answer.inputTokens
      outputTokens += answer.outputTokens
    },
    takeCall: () => {
      if (toolCalls >= maxSteps) return false
      toolCalls += 1
      return true
    },
    usage: () => ({ toolCalls, inputTokens, outputTokens, cost: cost() }),
  }
}

const tokensIn = (characters: number): number => Math.ceil(characters / charactersPerToken)

/** Null: this agent has no prices. */
const costOf = ({ inputPrice, outputPrice }: ModelSettings, input: number, output: number): number | null =>
  inputPrice === null && outputPrice === null
    ? null
    : Math.round(input * (inputPrice ?? 0) + output * (outputPrice ?? 0)) / perMillion
