import type { Actual } from './comparisons.ts'

const reading = Symbol('reading')

/** Values of which each has to satisfy the comparison, or the reason why there is none. */
export type Several = { [reading]: 'several'; values: readonly Actual[] }
export type Unreadable = { [reading]: 'unreadable'; problem: string }

export const several = (values: readonly Actual[]): Several => ({ [reading]: 'several', values })

/** `problem` is a sentence without its full stop. */
export const unreadable = (problem: string): Unreadable => ({ [reading]: 'unreadable', problem })

export const isSeveral = (found: unknown): found is Several => kindOf(found) === 'several'

export const isUnreadable = (found: unknown): found is Unreadable => kindOf(found) === 'unreadable'

const kindOf = (found: unknown): unknown =>
  typeof found === 'object' && found !== null && reading in found ? found[reading] : null
