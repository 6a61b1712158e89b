/**
 * What reading and judging an item costs at most, in milliseconds of a slow machine. Pure. Sound rather than near: what it
 * cannot bound costs Infinity, and what a run does on the event loop must fit into the little that is left for it there.
 */
import { boundedMemo } from '../../protocol/bounded-memo.ts'
import type { AssertionItem } from '../assertions/evaluate.ts'
import { compilePattern } from '../assertions/first-group.ts'
import { isPlainPath } from '../assertions/json-path.ts'
import { type Body, isBody, type Material } from '../assertions/material.ts'
import { isReadError } from '../assertions/reading.ts'
import type { Readings } from '../assertions/readings.ts'

/** A byte to decode, to parse as JSON, and to look through or compare. */
const decodeMs = 4e-6
const parseMs = 5e-5
const lookMs = 2e-5

/** An instruction of a compiled pattern at a character of the text; measured: 6e-6 for ordinary ones, 4e-5 at worst. */
const instructionMs = 4e-5

/** A character of a text in which a pattern is looked for. */
const locateMs = 3e-5

/** A node that a JSON path looks at. */
const stepMs = 2e-3

/** Whatever an assertion is. */
const baseMs = 0.02

export const estimateMs = (item: AssertionItem, readings: Readings): number => {
  const { assertion, material } = item
  if (material === null) return baseMs
  const size = sizeOf(material)
  const target = assertion.target?.length ?? 0
  return (
    baseMs +
    readMs(material, readings) +
    (assertion.regex ? patternMs(assertion.regex, size) : 0) +
    (2 * size + target) * lookMs
  )
}

/** Characters or bytes that are there to be looked at. */
const sizeOf = (material: Material): number => {
  if (material.kind === 'value') return sizeOfValue(material.value)
  const origin = material.kind === 'text' ? material.text : material.document
  if (typeof origin === 'string') return origin.length
  return isBody(origin) ? origin.bytes.length : sizeOfValue(origin.value)
}

/** Of values that the agent has made itself: headers, records of an answer. */
const sizeOfValue = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  let size = 8
  for (const [key, item] of Object.entries(value)) size += key.length + sizeOfValue(item)
  return size
}

const readMs = (material: Material, readings: Readings): number => {
  if (material.kind === 'value') return 0
  if (material.kind === 'text')
    return (
      textMs(material.text, readings) +
      (material.pattern === '' ? 0 : patternMs(material.pattern, sizeOf(material)))
    )
  const { document, path } = material
  const parsing =
    isBody(document) && !readings.hasJson(document)
      ? textMs(document, readings) + document.bytes.length * parseMs
      : 0
  return parsing + pathMs(path, sizeOf(material))
}

const textMs = (text: string | Body, readings: Readings): number =>
  typeof text === 'string' || readings.hasText(text) ? 0 : text.bytes.length * decodeMs

/** Longer patterns, and those that repeat, may take long to compile. */
const maxPatternLength = 200
const maxRepetition = 30

/** What a pattern may do here, beyond a glance at each character; it costs no more than that, because it stops there. */
const maxPatternMs = 1
export const patternSteps = maxPatternMs / instructionMs

const patternMs = (pattern: string, length: number): number => {
  const instructions = instructionsOf(pattern)
  const direct = instructions * (length + 1) * instructionMs
  return instructions === Infinity ? Infinity : Math.min(direct, maxPatternMs + length * locateMs)
}

const countInstructions = (pattern: string): number => {
  if (pattern.length > maxPatternLength || repetitionOf(pattern) > maxRepetition) return Infinity
  const compiled = compilePattern(pattern)
  return isReadError(compiled) ? 1 : compiled.re2.programSize()
}

const instructionsOf = boundedMemo(countInstructions, { limit: 1000 })

/** How often a part of it may stand in the compiled pattern: repetitions are unrolled, and those inside others multiply. */
const repetitionOf = (pattern: string): number => {
  let times = 1
  for (const [, min = '', max = ''] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g))
    times *= Math.max(1, Number(min), Number(max))
  return times
}

const maxPathLength = 200
const maxPathMs = 1

/** What a path may look at here: comparisons inside filters may look at the whole document at each step. */
export const pathSteps = (path: string, documentBytes: number): number =>
  Math.floor(maxPathMs / (stepMs + (path.includes('?') ? documentBytes * lookMs : 0)))

/** With fewer steps than this a path is not worth a try. */
const minSteps = 50

const pathMs = (path: string, documentBytes: number): number => {
  const kind = kindOf(path)
  if (kind === 'plain') return path.length * lookMs
  return kind === 'costly' || pathSteps(path, documentBytes) < minSteps ? Infinity : maxPathMs
}

/** match() may look for any pattern. */
const kindOf = boundedMemo(
  (path: string) => {
    if (path.length > maxPathLength || /\b(match|search)\s*\(/.test(path)) return 'costly'
    return isPlainPath(path) ? 'plain' : 'ordinary'
  },
  { limit: 1000 },
)
