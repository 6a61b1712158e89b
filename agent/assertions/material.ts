import type { Actual } from './comparisons.ts'

/**
 * Bytes that a target sent. `type`: the Content-Type that it gave them, '' for none; null: text as it is, where there is no such
 * thing. `isUtf8`: they are, whatever the type says. `cut`: there were more of them.
 */
export type Body = { bytes: Uint8Array; type: string | null; isUtf8: boolean; cut: boolean }

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
