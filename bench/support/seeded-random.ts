/** Numbers, digits and words that are the same for the same seed. */
import { createHash } from 'node:crypto'

export type Random = {
  below(n: number): number
  hex(digits: number): string
  words(count: number): string
  pick<T>(list: readonly T[]): T
}

const syllables =
  'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu zen tor mal fin der ost lan'.split(' ')

/** The same numbers for the same seed. */
export const randomOf = (seed: string): Random => {
  let counter = 0
  const hex = (digits: number): string => {
    let text = ''
    while (text.length < digits) text += createHash('sha256').update(`${seed} ${counter++}`).digest('hex')
    return text.slice(0, digits)
  }
  const below = (n: number): number => Number.parseInt(hex(8), 16) % n
  const word = (): string =>
    Array.from({ length: 2 + below(3) }, () => syllables[below(syllables.length)]).join('')
  return {
    below,
    hex,
    words: (count) => Array.from({ length: count }, word).join(' '),
    pick: (list) => list[below(list.length)] as (typeof list)[number],
  }
}
