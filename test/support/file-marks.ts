/** What a test file says of itself in lines of its own, each with why. Pure. */
import type { Length } from './length.ts'

export type FileMarks = {
  /** It changes or measures its process: no other file shares it. */
  isAlone: boolean
  /** It needs what is made meanwhile. */
  isLast: boolean
  /** The shortest run that it is part of. */
  from: Length
  /** The shortest run that takes PostgreSQL, too: a sooner one than `long` where SQL differs, or would run nowhere else. */
  bothEnginesFrom: Length
}

const marks = {
  alone: 'Runs in a process of its own',
  last: 'Runs last',
  all: 'Runs in test:all only',
  long: 'Runs in test:long only',
  bothEngines: 'Runs on both engines',
  bothEnginesInAll: 'Runs on both engines in test:all',
}

const says = (source: string, mark: string): boolean => new RegExp(`^// ${mark}: \\S`, 'm').test(source)

/** A line such as `// Runs in test:all only: it kills fifty programs.` */
export const readMarks = (source: string): FileMarks => ({
  isAlone: says(source, marks.alone),
  isLast: says(source, marks.last),
  from: says(source, marks.long) ? 'long' : says(source, marks.all) ? 'all' : 'short',
  bothEnginesFrom: says(source, marks.bothEngines)
    ? 'short'
    : says(source, marks.bothEnginesInAll)
      ? 'all'
      : 'long',
})

/** Lines that look like a mark and are none: misspelt, or without a reason. */
export const misspeltMarks = (source: string): string[] =>
  [...source.matchAll(/^\/\/ Runs (?:in|on|last)\b.*$/gm)]
    .map(([line]) => line)
    .filter((line) => !Object.values(marks).some((mark) => says(line, mark)))
