import type { Actual } from './comparisons.ts'

const reading = Symbol('reading')

/** Values of which each has to satisfy the comparison, or the reason why there is none. */
export type ValueList = { [reading]: 'several'; values: readonly Actual[] }
export type ReadError = { [reading]: 'unreadable'; problem: string }

/** Thrown where reading would take more steps than it may. */
export class TooManySteps extends Error {
  constructor() {
    super('reading takes too many steps')
    this.name = 'TooManySteps'
  }
}

/** Several values in place of one. */
export const valueList = (values: readonly Actual[]): ValueList => ({ [reading]: 'several', values })

/** `problem` is a sentence without its full stop. */
export const readError = (problem: string): ReadError => ({ [reading]: 'unreadable', problem })

export const isValueList = (found: unknown): found is ValueList => kindOf(found) === 'several'

export const isReadError = (found: unknown): found is ReadError => kindOf(found) === 'unreadable'

const kindOf = (found: unknown): unknown =>
  typeof found === 'object' && found !== null && reading in found ? found[reading] : null
