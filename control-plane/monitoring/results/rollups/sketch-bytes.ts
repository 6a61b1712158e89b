/**
 * A sketch as bytes. A bin takes one where it is near the last one and holds few values, which is what most bins of an hour
 * are; sums and extremes of whole numbers take as few as they need. Pure.
 */
import {
  type Reader,
  readByte,
  readCount,
  readFloat,
  readSigned,
  type Writer,
  writeCount,
  writeFloat,
  writeSigned,
} from './byte-cursor.ts'
import { type Bins, makeRoom, type Sketch } from './sketch.ts'

const exact = ['sum', 'squares', 'min', 'max'] as const
const hasZeros = 16
const hasNegative = 32
const hasPositive = 64

const isWhole = (value: number): boolean => Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0)

export const writeSketch = (writer: Writer, sketch: Sketch): void => {
  writeCount(writer, sketch.n)
  if (sketch.n === 0) return
  const { zeros, negative, positive } = sketch
  const wholes = exact.reduce((flags, name, bit) => flags + (isWhole(sketch[name]) ? 2 ** bit : 0), 0)
  writer.bytes.push(
    wholes +
      (zeros > 0 ? hasZeros : 0) +
      (negative.counts.length > 0 ? hasNegative : 0) +
      (positive.counts.length > 0 ? hasPositive : 0),
  )
  for (const name of exact) (isWhole(sketch[name]) ? writeCount : writeFloat)(writer, sketch[name])
  if (zeros > 0) writeCount(writer, zeros)
  if (negative.counts.length > 0) writeBins(writer, negative)
  if (positive.counts.length > 0) writeBins(writer, positive)
}

/** A step to the next bin and a count in one byte, or both in bytes of their own behind a mark. */
const shortStep = 16
const shortCount = 8
const longMark = 128
const longestStepInMark = 127

const writeBins = (writer: Writer, { first, counts }: Bins): void => {
  const used = counts.flatMap((count, at) => (count > 0 ? [{ index: first + at, count }] : []))
  writeCount(writer, used.length)
  writeSigned(writer, used[0]?.index ?? 0)
  let last = used[0]?.index ?? 0
  for (const { index, count } of used) {
    const step = index - last
    last = index
    if (step < shortStep && count < shortCount) {
      writer.bytes.push(step * shortCount + count)
      continue
    }
    writer.bytes.push(longMark + Math.min(step, longestStepInMark))
    if (step >= longestStepInMark) writeCount(writer, step)
    writeCount(writer, count)
  }
}

/** Adds the sketch that begins here to another one, without making it first. */
export const addSketchBytes = (target: Sketch, reader: Reader): void => {
  const n = readCount(reader)
  if (n === 0) return
  const flags = readByte(reader)
  const next = (bit: number): number => ((flags & (1 << bit)) > 0 ? readCount(reader) : readFloat(reader))
  target.n += n
  target.sum += next(0)
  target.squares += next(1)
  target.min = Math.min(target.min, next(2))
  target.max = Math.max(target.max, next(3))
  if (flags & hasZeros) target.zeros += readCount(reader)
  if (flags & hasNegative) addBinBytes(target.negative, reader)
  if (flags & hasPositive) addBinBytes(target.positive, reader)
}

const addBinBytes = (target: Bins, reader: Reader): void => {
  const used = readCount(reader)
  let index = readSigned(reader)
  makeRoom(target, index, index)
  for (let bin = 0; bin < used; bin += 1) {
    const byte = readByte(reader)
    let step = byte >> 3
    let count = byte & (shortCount - 1)
    if (byte >= longMark) {
      step = byte - longMark
      if (step === longestStepInMark) step = readCount(reader)
      count = readCount(reader)
    }
    index += step
    const at = index - target.first
    if (at >= target.counts.length) makeRoom(target, index, index)
    target.counts[at] = (target.counts[at] ?? 0) + count
  }
}

/** Goes past the sketch that begins here. */
export const skipSketchBytes = (reader: Reader): void => {
  if (readCount(reader) === 0) return
  const flags = readByte(reader)
  for (const bit of exact.keys()) {
    if (flags & (1 << bit)) readCount(reader)
    else reader.at += 8
  }
  if (flags & hasZeros) readCount(reader)
  for (const flag of [hasNegative, hasPositive]) if (flags & flag) skipBinBytes(reader)
}

const skipBinBytes = (reader: Reader): void => {
  const used = readCount(reader)
  readSigned(reader)
  for (let bin = 0; bin < used; bin += 1) {
    const byte = readByte(reader)
    if (byte < longMark) continue
    if (byte - longMark === longestStepInMark) readCount(reader)
    readCount(reader)
  }
}
