/**
 * Filling in templates without holding anybody up. Those that only name values are filled in at once; all others in a
 * thread (template-thread.ts) that is ended when it takes too long, whatever its own count says.
 */

import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import type { HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { FilledText, FillTask } from './fill.ts'
import {
  fillPlainTags,
  plainTagsIn,
  type TemplateContext,
  type TemplateText,
  valueNamed,
} from './plain-tags.ts'
import { TemplateError } from './template-error.ts'
import { createTemplateMeter, lengthOf, type TemplateBudget, type TemplateMeter } from './template-meter.ts'
import { ThreadOverrunError } from './thread.ts'
import { createThreadPool, type QueueKey } from './thread-pool.ts'

/** Texts of one notification over one context, with one budget for all of them. */
export type FillTexts = (filling: {
  texts: readonly TemplateText[]
  context: TemplateContext
  budget: TemplateBudget
}) => Promise<FilledText[]>

/** What a budget allows takes a tenth of this. A thread that has nothing to do ends. */
const threads = {
  program: new URL('./template-thread.ts', import.meta.url),
  maxThreads: 2,
  idleMs: 30_000,
  cpuMs: 1000,
  wallMs: 30_000,
  memoryMb: 128,
}

/** What is filled in at once, in characters: a millisecond's work. */
const maxAtOnce = 100_000
/** What is copied to a thread, in characters; above the first it is looked at which of it the texts name. */
const maxUnchosen = 500_000
const maxContext = 4_000_000

const poolOf = perApp(() => createThreadPool<FillTask, FilledText[]>(threads))

/** Whose work it is, and how much of it may wait. */
export const textFiller =
  (app: App & HasRandomBytes, queueKey: QueueKey): FillTexts =>
  async ({ texts, context, budget }) => {
    const { filled, spent } = filledAtOnce(texts, context, createTemplateMeter(budget))
    const others = texts.filter((_, position) => filled[position] === null)
    if (others.length === 0) return filled.flatMap((one) => one ?? [])
    const sent = needed(context, others)
    const task = {
      texts: others,
      context: sent,
      budget,
      spent,
      now: app.clock.now(),
      seed: app.randomBytes(32),
    }
    const made = (await inThread(app, queueKey, task)).values()
    return filled.flatMap((one) => one ?? made.next().value ?? [])
  }

type AtOnce = { filled: Array<FilledText | null>; spent: TemplateBudget }

/** Those that only name values, as far as they are small; null where it takes a thread. */
const filledAtOnce = (
  texts: readonly TemplateText[],
  context: TemplateContext,
  meter: TemplateMeter,
): AtOnce => {
  let size = 0
  const filled = texts.map((one) => {
    const names = plainTagsIn(one.text)
    if (names === null) return null
    if (names.length === 0) return { text: one.text }
    size += names.reduce((sum, name) => sum + lengthOf(valueNamed(name, context)), one.text.length)
    return size > maxAtOnce ? null : filledPlain(one, context, meter)
  })
  return { filled, spent: meter.spent() }
}

const filledPlain = (one: TemplateText, context: TemplateContext, meter: TemplateMeter): FilledText => {
  try {
    meter.placeholder(plainTagsIn(one.text)?.length ?? 0)
    return { text: meter.put(fillPlainTags(one, context)) }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return { fault: error.message }
  }
}

/** A thread that was ended says nothing of which text it was: none of them has a text. @throws QueueFullError */
const inThread = async (app: App, queueKey: QueueKey, task: FillTask): Promise<FilledText[]> => {
  if (contextLength(task.context) > maxContext)
    return task.texts.map(() => ({
      fault: `its variables have more than ${maxContext} characters together`,
    }))
  try {
    return await poolOf(app).run(task, queueKey)
  } catch (error) {
    if (!(error instanceof ThreadOverrunError)) throw error
    return task.texts.map(() => ({ fault: `the templates take ${error.message} to fill in` }))
  }
}

const contextLength = (context: TemplateContext): number =>
  Object.values(context).reduce<number>((sum, value) => sum + lengthOf(value), 0)

/** Of a large context only what the texts can name in a word; other names are few, and go along. */
const needed = (context: TemplateContext, texts: readonly TemplateText[]): TemplateContext => {
  if (contextLength(context) <= maxUnchosen) return context
  const words = new Set(texts.flatMap(({ text }) => text.match(/\w+/g) ?? []))
  return Object.fromEntries(Object.entries(context).filter(([name]) => /\W/.test(name) || words.has(name)))
}
