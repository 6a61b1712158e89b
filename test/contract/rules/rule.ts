/**
 * A rule of the contract. A text is the name of its test in this folder; `elsewhere` names a test in another file that
 * is about it; `outside` says why this API has none.
 */
export type Rule =
  | string
  | { rule: string; elsewhere: readonly [file: string, test: string] }
  | { rule: string; outside: string }

/** By the contract's heading. */
export type Sections = Record<string, readonly Rule[]>
