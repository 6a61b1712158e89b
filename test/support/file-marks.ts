/** What a test file says of itself in lines of its own, each with why. Pure. */
import type { Length } from './length.ts'

export type FileMarks = {
  /** It changes or measures its process: no other file shares it. */
  isAlone: boolean
  /** The shortest run that it is part of. */
  from: Length
  /** Its SQL differs, so that short runs take PostgreSQL, too. */
  onBothEngines: boolean
}

const marks = {
  alone: 'Runs in a process of its own',
  all: 'Runs in test:all only',
  long: 'Runs in test:long only',
  bothEngines: 'Runs on both engines',
}

const says = (source: string, mark: string): boolean => new RegExp(`^// ${mark}: \\S`, 'm').test(source)

/** A line such as `// Runs in test:all only: it kills fifty programs.` */
export const readMarks = (source: string): FileMarks => ({
  isAlone: says(source, marks.alone),
  from: says(source, marks.long) ? 'long' : says(source, marks.all) ? 'all' : 'short',
  onBothEngines: says(source, marks.bothEngines),
})

/** Lines that look like a mark and are none: misspelt, or without a reason. */
export const misspeltMarks = (source: string): string[] =>
  [...source.matchAll(/^\/\/ Runs (?:in|on) .*$/gm)]
    .map(([line]) => line)
    .filter((line) => !Object.values(marks).some((mark) => says(line, mark)))
