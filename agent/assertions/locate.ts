import type { RE2JS } from 're2js'
import {
  type Automaton,
  createAutomaton,
  endOfText,
  found,
  full,
  type Kernel,
  lastQuiet,
} from './automaton.ts'

/**
 * Where the first match of a pattern begins at the earliest; null: there is none. RE2JS would look for it from the start of
 * the text, at a hundred times the cost. `spend` is told what is done beyond a glance at each character, in instructions of
 * the pattern, and what looking for the match from there will cost; it may throw.
 */
export type Locate = (text: string, spend?: (cost: number) => void) => number | null

/** An automaton that is full after fewer characters a state is no help. */
const leastProgress = 10

/** Making a state, beside looking at as many instructions once. */
const makingCost = 4

export const createLocate = (pattern: RE2JS): Locate => {
  const { prefix } = pattern.re2() as { prefix: string | null }
  let automaton: Automaton | null = null
  return (text, spend) => {
    const first = prefix ? text.indexOf(prefix) : 0
    if (first === -1) return null
    automaton ??= createAutomaton(pattern)
    return search(automaton, { text, first, spend })
  }
}

type Search = { text: string; first: number; spend: ((cost: number) => void) | undefined }

const search = (automaton: Automaton, { text, first, spend }: Search): number | null => {
  const { table, classes, classOf, latin1, make, size } = automaton
  let state = automaton.quietAfter(first === 0 ? null : text.charCodeAt(first - 1))
  let from = first
  let forgottenAt = first
  for (let at = first; at < text.length; ) {
    const rune = runeAt(text, at)
    const kind = rune < 256 ? (latin1[rune] as number) : classOf(rune)
    let next = table[state * classes + kind] as number
    if (next === 0) {
      spend?.(makingCost * size)
      next = make(state, rune)
      if (next === full) {
        if (at - forgottenAt < leastProgress * automaton.states()) {
          spend?.(Number.POSITIVE_INFINITY)
          return from
        }
        forgottenAt = at
        state = automaton.forget(state)
        next = make(state, rune)
      }
    }
    if (next === found) {
      if (spend !== undefined) spendOnMatch(automaton, { text, from, at, state }, spend)
      return from
    }
    state = next
    at += rune > 0xffff ? 2 : 1
    if (state <= lastQuiet) from = at
  }
  if (make(state, endOfText) !== found) return null
  spend?.((text.length - from) * size)
  return from
}

const runeAt = (text: string, at: number): number => {
  const unit = text.charCodeAt(at)
  return unit < 0xd800 || unit > 0xdbff ? unit : (text.codePointAt(at) as number)
}

type Meeting = { text: string; from: number; at: number; state: number }

/**
 * A match ends at `at`. RE2JS begins no other one after that, but goes on with those that have begun: nothing is alive in it
 * that is not alive here.
 */
const spendOnMatch = (
  automaton: Automaton,
  { text, from, at, state }: Meeting,
  spend: (cost: number) => void,
): void => {
  spend((at - from) * automaton.size)
  let kernel: Kernel = [...automaton.kernelOf(state), automaton.begin]
  let previous = at === 0 ? null : text.charCodeAt(at - 1)
  for (let next = at; next < text.length && kernel.length > 0; ) {
    // Once for looking here, and once for looking again.
    spend(2 * automaton.size)
    const rune = runeAt(text, next)
    kernel = automaton.advance(kernel, previous, rune)
    previous = rune
    next += rune > 0xffff ? 2 : 1
  }
}
