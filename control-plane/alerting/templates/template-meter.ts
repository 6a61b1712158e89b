/**
 * What templates may cost, and what they have cost. Work is counted by the length of the text that it goes through, and
 * not only by its steps: ten thousand steps over short texts are nothing, over long ones they are seconds. Templates that
 * share a meter share its limits.
 */
import { TemplateError } from './template-error.ts'

export type TemplateBudget = Readonly<{
  /** Values and blocks, as written. */
  placeholders: number
  /** Values, helpers and rounds, as run. */
  steps: number
  /** Of the texts that are read, gone through by helpers and made on the way. */
  characters: number
  /** Characters that are put out. */
  output: number
}>

/** All templates of one notification together, at each of its tries. */
export const notificationBudget: TemplateBudget = {
  placeholders: 2000,
  steps: 10_000,
  characters: 3_000_000,
  output: 1024 * 1024,
}

/** What is filled in once more where templates of the notification failed: the tags of its address, one by one. */
export const fallbackBudget: TemplateBudget = {
  placeholders: 200,
  steps: 1000,
  characters: 200_000,
  output: 100_000,
}

export type TemplateMeter = {
  /** @throws TemplateError, as all of them do, when it is more than the budget has */
  placeholder(count: number): void
  step(): void
  read(characters: number): void
  put(text: string): string
  spent(): TemplateBudget
}

const problems: Record<keyof TemplateBudget, (limit: number) => string> = {
  placeholders: (limit) => `the templates have more than ${limit} placeholders together`,
  steps: (limit) => `it takes more than ${limit} steps`,
  characters: (limit) => `it goes through more than ${limit} characters`,
  output: (limit) => `it makes more than ${limit} characters`,
}

export const nothingSpent: TemplateBudget = { placeholders: 0, steps: 0, characters: 0, output: 0 }

/** `before`: what has been spent of the budget elsewhere. */
export const createTemplateMeter = (budget = notificationBudget, before = nothingSpent): TemplateMeter => {
  const spent = { ...before }
  const take = (what: keyof TemplateBudget, count: number): void => {
    spent[what] += count
    if (spent[what] > budget[what]) throw new TemplateError(problems[what](budget[what]))
  }
  return {
    placeholder: (count) => take('placeholders', count),
    step: () => take('steps', 1),
    read: (characters) => take('characters', characters),
    put: (text) => {
      take('output', text.length)
      return text
    },
    spent: () => ({ ...spent }),
  }
}

/** How much text a helper goes through that is given this: all of it, and each item of a list. */
export const lengthOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (!Array.isArray(value)) return 1
  let length = 1
  for (const item of value) length += 1 + lengthOf(item)
  return length
}
