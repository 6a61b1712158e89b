/** Follows secrets through a text from one place on, along every reading of it. Pure. */
import { isSpecial, readAt } from './character-readings.ts'
import { possibleBytes } from './decode-run.ts'
import { byteCode, createReadings, emptyCode, type Readings } from './readings.ts'
import { isSkipped } from './secret-forms.ts'
import { afterByte, dead, endsSecret, type SecretIndex, type SecretState } from './secret-index.ts'

/** A search of one text. Its lists are emptied, not made anew. */
export type Walk = {
  index: SecretIndex
  units: Uint16Array
  end: number
  /** Units above 255 are bytes of which some bits are known, not characters. */
  isDecoded: boolean
  /** Where the text was cut: what has begun there counts from this many bytes on. */
  shortestCut: number | null
  /** Steps that may still be made. */
  effort: number
  states: SecretState[]
  positions: number[]
  depths: number[]
  readings: Readings
  seen: Set<number>
}

export const createWalk = (index: SecretIndex): Walk => ({
  index,
  units: new Uint16Array(0),
  end: 0,
  isDecoded: false,
  shortestCut: null,
  effort: 0,
  states: [],
  positions: [],
  depths: [],
  readings: createReadings(),
  seen: new Set(),
})

/** So many ways at once are rare; from there on no place is visited twice. */
const manyWays = 16

/** Where the longest secret ends that begins at `start`, or -1. */
export const endOfSecret = (walk: Walk, start: number): number => {
  const { index, units, end, states, positions, depths } = walk
  let state = 0
  let at = start
  let depth = 0
  let best = -1
  let ways = 0
  for (;;) {
    walk.effort -= 1
    if (state !== 0 && at > best && endsSecret(index, state)) best = at
    if (at >= end) {
      if (walk.shortestCut !== null && depth >= walk.shortestCut) best = end
    } else if (isSpecial(units[at] as number)) branch(walk, state, at, depth)
    else {
      state = afterByte(index, state, units[at] as number)
      at += 1
      depth += 1
      if (state !== dead) continue
    }
    do {
      if (states.length === 0 || walk.effort < 0) return done(walk, best)
      state = states.pop() as number
      at = positions.pop() as number
      depth = depths.pop() as number
      ways += 1
    } while (ways > manyWays && wasSeen(walk, state, at - start))
  }
}

const done = (walk: Walk, best: number): number => {
  if (walk.states.length > 0) {
    walk.states.length = 0
    walk.positions.length = 0
    walk.depths.length = 0
  }
  if (walk.seen.size > 0) walk.seen.clear()
  return best === -1 || walk.isDecoded || walk.index.endsWithBreak ? best : beforeBreaks(walk.units, best)
}

/** Breaks of lines are skipped inside of a secret; those behind it are not its own, but for a soft one (RFC 2045 section 6.7). */
const beforeBreaks = (units: Uint16Array, end: number): number => {
  let behind = end
  while (units[behind - 1] === 10 || units[behind - 1] === 13) behind -= 1
  return units[behind - 1] === softBreak && behind < end ? end : behind
}

const softBreak = 61

const wasSeen = (walk: Walk, state: SecretState, distance: number): boolean => {
  const { seen } = walk
  walk.effort -= seenEffort
  const key = distance * 2 ** 32 + (state + 2 ** 31)
  if (seen.has(key)) return true
  seen.add(key)
  return false
}

/** In steps, of which each takes some nanoseconds. */
const readingEffort = 10
const seenEffort = 20

/** Notes where each reading leads. */
const branch = (walk: Walk, state: SecretState, at: number, depth: number): void => {
  const unit = walk.units[at] as number
  if (walk.isDecoded && unit > 255) {
    possibleBytes(unit, (byte) => go(walk, afterByte(walk.index, state, byte), at + 1, depth + 1))
    return
  }
  const { readings } = walk
  walk.effort -= readingEffort
  readAt(walk.units, walk.end, at, readings)
  walk.effort -= 4 * readings.count
  for (let one = 0; one < readings.count; one += 1) {
    const code = readings.codes[one] as number
    const next = readings.ends[one] as number
    if (state !== 0 && (code === emptyCode || isSkipped(code))) go(walk, state, next, depth)
    if (code !== emptyCode) go(walk, afterCode(walk.index, state, code), next, depth + 1)
  }
}

const go = (walk: Walk, state: SecretState, at: number, depth: number): void => {
  if (state === dead) return
  walk.states.push(state)
  walk.positions.push(at)
  walk.depths.push(depth)
}

/** A character is its bytes in UTF-8. */
const afterCode = (index: SecretIndex, state: SecretState, code: number): SecretState => {
  if (code < 0x80) return afterByte(index, state, code)
  if (code >= byteCode) return afterByte(index, state, code & 0xff)
  if (code < 0x800) return afterLast(index, afterByte(index, state, 0xc0 | (code >> 6)), code)
  const lead =
    code < 0x10000
      ? afterByte(index, state, 0xe0 | (code >> 12))
      : afterMiddle(index, afterByte(index, state, 0xf0 | (code >> 18)), code >> 6)
  return afterLast(index, afterMiddle(index, lead, code), code)
}

const afterMiddle = (index: SecretIndex, state: SecretState, code: number): SecretState =>
  afterLast(index, state, code >> 6)

const afterLast = (index: SecretIndex, state: SecretState, code: number): SecretState =>
  state === dead ? dead : afterByte(index, state, 0x80 | (code & 0x3f))
