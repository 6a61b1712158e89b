/**
 * Where tests take chance from: the same in every short run and every run of CI, so that they find the same on each machine;
 * another in each long one. `TEST_SEED=123 node test/x.test.ts` repeats a run: who draws from it says so with `t.comment(seedNote)`.
 */
import { randomInt } from 'node:crypto'
import { length } from './length.ts'

export const seedVariable = 'TEST_SEED'

const fixedSeed = 20_260_101

const readSeed = (word: string | undefined): number => {
  if (word === undefined) return length === 'long' ? randomInt(2 ** 31) : fixedSeed
  const seed = Number(word)
  if (!Number.isSafeInteger(seed)) throw new Error(`${seedVariable}=${word}: it is a whole number`)
  return seed
}

/** Of this process. */
export const seed: number = readSeed(process.env[seedVariable])

export const seedNote = `${seedVariable}=${seed}`
