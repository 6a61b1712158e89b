/** One pass over the units of a text, and over what its runs of base64 and hex decode to. Pure. */

import { isSpecial } from './character-readings.ts'
import { decodeRun } from './decode-run.ts'
import { type Alphabet, base64Digits, type DigitRun, eachRun, hexDigits } from './digit-runs.ts'
import { maxBackslashes } from './escape-readings.ts'
import { createWalk, endOfSecret, type Walk } from './follow-secret.ts'
import { shortestSecret } from './secret-forms.ts'
import { afterByte, dead, type SecretIndex } from './secret-index.ts'

/** What is searched: the text itself (0), what it encodes (1), and what that encodes (2). */
type Level = { units: Uint16Array; run: DigitRun }
const deepest = 2

export type Search = {
  /** Units at which some secret may begin, for each index. */
  walks: { walk: Walk; begins: Uint8Array; beginsHigh: boolean }[]
  levels: Level[]
  /** In bytes. */
  shortest: number
  /** Steps that may still be made in this block. */
  effort: number
}

type Tell = (start: number, end: number) => void

/** A text that begins like a secret nearly everywhere takes more: it is hidden as a whole instead. */
const effortOf = (length: number): number => 20_000 + 32 * length

export const createSearch = (indexes: readonly SecretIndex[]): Search => ({
  walks: indexes.map((index) => ({ walk: createWalk(index), ...beginningsOf(index) })),
  levels: [],
  // A byte that stands for a character of Latin-1 is two in UTF-8.
  shortest: Math.min(...indexes.map((one) => (one.hasNonAscii ? Math.ceil(one.shortest / 2) : one.shortest))),
  effort: 0,
})

const beginningsOf = ({ root, fold }: SecretIndex) => {
  const begins = new Uint8Array(256)
  for (let unit = 0; unit < 128; unit += 1) if (root[fold[unit] as number] !== dead) begins[unit] = 1
  let beginsHigh = false
  for (let byte = 128; byte < 256; byte += 1) beginsHigh ||= root[byte] !== dead
  if (begins[32] === 1) begins[43] = 1
  for (const unit of signs) begins[unit] = 1
  if (beginsHigh) begins.fill(1, 128)
  return { begins, beginsHigh }
}

/** What spellings begin with that may mean any character: % & = and the backslash. */
const signs = [37, 38, 61, 92]

/** Units for so many, at the start of which the text is put. */
export const unitsFor = (search: Search, length: number): Uint16Array => levelOf(search, 0, length).units

const levelOf = ({ levels }: Search, depth: number, length: number): Level => {
  const kept = levels[depth]
  if (kept !== undefined && kept.units.length >= length) return kept
  const units = new Uint16Array(2 ** Math.ceil(Math.log2(Math.max(length, 64))))
  const none = new Int32Array(0)
  const made = { units, run: { digits: new Uint8Array(0), starts: none, ends: none, count: 0 } }
  levels[depth] = made
  return made
}

/** Tells what shows a secret in the first `length` units and begins before `until`, in no order. */
export const searchUnits = (
  search: Search,
  { length, until }: { length: number; until: number },
  tell: Tell,
): void => {
  search.effort = effortOf(length)
  searchLevel(search, { depth: 0, length, until }, tell)
  if (search.effort < 0) tell(0, length)
}

/** Where a secret begins in the first `length` units that goes on behind them, or ends there; `length` if none does. */
export const startOfCutSecret = (search: Search, length: number): number => {
  const { units } = search.levels[0] as Level
  let start = length
  search.effort = effortOf(length)
  for (const one of search.walks) {
    one.walk.shortestCut = shortestSecret
    searchSpelled(search, one, { units, depth: 0, length, until: length }, (from, end) => {
      if (end === length) start = Math.min(start, from)
    })
    one.walk.shortestCut = null
  }
  return search.effort < 0 ? 0 : start
}

type Part = { depth: number; length: number; until: number }

const searchLevel = (search: Search, part: Part, tell: Tell): void => {
  const { units } = search.levels[part.depth] as Level
  for (const one of search.walks) searchSpelled(search, one, { ...part, units }, tell)
  if (search.effort >= 0 && part.depth < deepest && part.length >= base64Length(search.shortest))
    searchRuns(search, part, tell)
}

const searchSpelled = (
  search: Search,
  { walk, begins, beginsHigh }: Search['walks'][number],
  { units, length, until, depth }: Part & { units: Uint16Array },
  tell: Tell,
): void => {
  const { index } = walk
  walk.units = units
  walk.end = length
  walk.isDecoded = depth > 0
  walk.effort = search.effort
  const beginsBackslash = index.root[backslash] !== dead
  const tellsHigh = beginsHigh || depth > 0
  for (let at = 0; at < until; at += 1) {
    const unit = units[at] as number
    if (unit < 256 ? begins[unit] === 0 : !tellsHigh) continue
    if (at + 1 < length && !isSpecial(unit) && !isSpecial(units[at + 1] as number)) {
      const first = afterByte(index, 0, unit)
      if (afterByte(index, first, units[at + 1] as number) === dead) continue
    }
    if (unit === backslash && !beginsBackslash && isInsideBackslashes(units, length, at)) continue
    const end = endOfSecret(walk, at)
    if (end !== -1) tell(at, end)
    if (walk.effort < 0) break
  }
  search.effort = walk.effort
}

const backslash = 92

/** So far from the end of many that all of its readings are backslashes. */
const isInsideBackslashes = (units: Uint16Array, length: number, at: number): boolean => {
  for (let position = at + 1; position <= at + maxBackslashes; position += 1)
    if (position >= length || units[position] !== backslash) return false
  return true
}

/** Digits of a run that has all bits of so many bytes but some of the first and the last. */
const base64Length = (bytes: number): number => Math.floor((bytes * 8) / 6) - 1
const hexLength = (bytes: number): number => bytes * 2 - 1

const searchRuns = (search: Search, part: Part, tell: Tell): void => {
  const { depth, length } = part
  const level = search.levels[depth] as Level
  const { units, run } = level
  const { readings } = (search.walks[0] as Search['walks'][number]).walk
  let longest = 0
  const look = (alphabet: Alphabet) => () => {
    longest = Math.max(longest, run.count)
    decodeAndSearch(search, { ...part, alphabet }, tell)
  }
  const all = { units, length, run, readings }
  const shortest = base64Length(search.shortest)
  eachRun({ ...all, shortest, alphabet: base64Digits }, look(base64Digits))
  // Digits of hex are digits of base64, too.
  const shortestHex = hexLength(search.shortest)
  if (longest >= shortestHex) eachRun({ ...all, shortest: shortestHex, alphabet: hexDigits }, look(hexDigits))
}

const decodeAndSearch = (
  search: Search,
  { depth, length, until, alphabet }: Part & { alphabet: Alphabet },
  tell: Tell,
) => {
  const { run, units } = search.levels[depth] as Level
  const inner = levelOf(search, depth + 1, run.count + 1)
  const { bits, alignments } = alphabet
  for (let alignment = 0; alignment < alignments && search.effort >= 0; alignment += 1) {
    const { length: bytes, firstBit } = decodeRun(run, alphabet, alignment, inner.units)
    searchLevel(search, { depth: depth + 1, length: bytes, until: bytes }, (first, behind) => {
      const start = run.starts[Math.max(0, Math.floor((firstBit + first * 8) / bits))] as number
      const last = Math.min(run.count, Math.ceil((firstBit + behind * 8) / bits)) - 1
      if (start < until) tell(start, behindPadding(units, length, run.ends[last] as number))
    })
  }
}

const behindPadding = (units: Uint16Array, length: number, at: number): number => {
  let end = at
  while (end < length && end < at + 2 && units[end] === 61) end += 1
  return end
}
