/** Stretches of time that several want something of: what overlaps is read once, and each is given what is its own. Pure but for the reading. */
import type { Window } from './window.ts'

export type Wanted<T> = Window & { take(item: T): void }

/** `read` gives each thing of a span with its instant. */
export const readShared = async <T>(
  wanted: readonly Wanted<T>[],
  read: (span: Window, take: (at: number, item: T) => void) => Promise<void>,
): Promise<void> => {
  for (const span of united(wanted))
    await read(span, (at, item) => {
      for (const { from, to, take } of wanted) if (from <= at && at < to) take(item)
    })
}

const united = (spans: readonly Window[]): Window[] => {
  const all: Window[] = []
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (last === undefined || from > last.to) all.push({ from, to })
    else last.to = Math.max(last.to, to)
  }
  return all
}
