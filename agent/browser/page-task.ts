/**
 * What goes into a process that has a page driven from outside, and what comes out of it. Into it: lines of JSON on its standard
 * input, first a `PageTask`, then a `PageCommand` after the other; their end is the page's. Out of it: lines of JSON on its
 * descriptor 3, each a `PageEvent`.
 */
import { type Static, Type } from 'typebox'
import type { Chromium } from './task.ts'

export type PageTask = {
  chromium: Chromium
  userAgent: string
  /** Where its pages may be. */
  origins: readonly string[]
}

/** An element as people who do not see it know it. `nth`: which of several, from 0. */
export type PageTarget = { role: string; name?: string | undefined; nth?: number | undefined }

export const pageChecks = [
  'url_is',
  'url_contains',
  'title_is',
  'title_contains',
  'text_visible',
  'text_not_visible',
] as const
export const elementChecks = [
  'element_visible',
  'element_not_visible',
  'element_text_is',
  'element_text_contains',
  'element_value_is',
  'element_count_is',
] as const
export type PageCheck = (typeof pageChecks)[number] | (typeof elementChecks)[number]

/** `follow`: the task itself names this address, so pages may be where its server sends them. */
export type PageAct =
  | { act: 'open'; url: string; follow: boolean }
  | { act: 'read' }
  | { act: 'click'; target: PageTarget }
  | { act: 'fill'; target: PageTarget; value: string }
  | { act: 'press'; key: string; target: PageTarget | null }
  | { act: 'screenshot'; name: string }
  | { act: 'assert'; check: PageCheck; expected: string; target: PageTarget | null }
export type PageCommand = PageAct & { id: number }

/** Of what a page says of itself in one answer. */
const maxPageText = 30_000

/**
 * `problem`: why it was not done, `refused` if the page is or would be where it may not be. `origins`: those that the server of an
 * address led to. `passed` and `actual` are of an assertion.
 */
export const PageAnswer = Type.Object({
  type: Type.Literal('answer'),
  id: Type.Integer({ minimum: 1 }),
  problem: Type.Union([Type.String({ maxLength: 2000 }), Type.Null()]),
  refused: Type.Boolean(),
  url: Type.String({ maxLength: 2048 }),
  title: Type.String({ maxLength: 500 }),
  text: Type.String({ maxLength: maxPageText + 1 }),
  origins: Type.Array(Type.String({ maxLength: 300 }), { maxItems: 30 }),
  passed: Type.Boolean(),
  actual: Type.String({ maxLength: 2000 }),
})
export type PageAnswer = Static<typeof PageAnswer>

export const PageEvent = Type.Union([
  Type.Object({ type: Type.Literal('started') }),
  Type.Object({ type: Type.Literal('not-started'), problem: Type.String() }),
  PageAnswer,
  /** The browser is closed, and what it leaves is written. */
  Type.Object({ type: Type.Literal('ended') }),
])
export type PageEvent = Static<typeof PageEvent>
