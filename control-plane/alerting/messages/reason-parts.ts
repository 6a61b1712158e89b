/** What the reason of a check is made of: a text of ours with holes, and what is put into them. Pure. */

/** A span is said in the reader's language, and so is a reason within a reason. */
export type Reason = { text: string; values: readonly (string | { ms: number } | Reason)[] }

/** `640 ms`, `4.2 s`: exact, so that what was too slow by a little never reads as if it were not. */
export const shownMs = (ms: number): string =>
  Math.abs(ms) < 1000 ? `${Number(ms.toFixed(2))} ms` : `${Number((ms / 1000).toFixed(3))} s`

const longest = 100

export const shortValue = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`
