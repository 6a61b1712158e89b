import type { Actual } from './comparisons.ts'

/** Bytes that a target sent. `type`: the Content-Type that it gave them; null: text in UTF-8, whatever they are. */
export type Body = { bytes: Uint8Array; type: string | null }

/** Where a JSON value comes from: it is there, or a body has it. */
export type JsonOrigin = { value: unknown } | Body

/**
 * What one assertion looks at, before anything that costs: a value, a text in which a pattern is to be found ('' is the text
 * itself), or a document of which a path selects a part. Data, so that it can be judged in another process.
 */
export type Material =
  | { kind: 'value'; value: Actual }
  | { kind: 'text'; text: string | Body; pattern: string }
  | { kind: 'json'; document: JsonOrigin; path: string }

export const isBody = (origin: string | JsonOrigin): origin is Body =>
  typeof origin === 'object' && 'bytes' in origin
