/** Several templates over one context, with one budget: what a thread is asked for. Pure: its randomness is given. */
import { createHash } from 'node:crypto'
import { encodings } from './encodings.ts'
import type { TemplateContext, TemplateText } from './plain-tags.ts'
import { render, type World } from './template.ts'
import { TemplateError } from './template-error.ts'
import { createTemplateMeter, type TemplateBudget } from './template-meter.ts'

export type FillTask = {
  texts: readonly TemplateText[]
  context: TemplateContext
  budget: TemplateBudget
  /** Of the budget, before. */
  spent: TemplateBudget
  now: number
  seed: Uint8Array
}

/** `fault`: why it cannot be filled in, for people. */
export type FilledText = { text: string } | { fault: string }

/** In their order: those that come first have the budget first. */
export const fill = ({ texts, context, budget, spent, now, seed }: FillTask): FilledText[] => {
  const meter = createTemplateMeter(budget, spent)
  const world = { now, randomBytes: bytesFrom(seed) }
  return texts.map(({ text, encoding, startIsRaw = false }) => {
    try {
      return { text: render(text, context, { encode: encodings[encoding], startIsRaw, world, meter }) }
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      return { fault: error.message }
    }
  })
}

/** Other bytes each time, which nobody knows who does not know the seed. */
const bytesFrom = (seed: Uint8Array): World['randomBytes'] => {
  let count = 0
  return (size) => {
    count += 1
    return createHash('shake256', { outputLength: size }).update(seed).update(String(count)).digest()
  }
}
