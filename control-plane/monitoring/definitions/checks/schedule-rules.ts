/**
 * The contract's rules of `frequency` (minutes) and `frequencyOffset`, and what they
 * mean in time. Pure.
 *
 * | frequency | frequencyOffset | runs | an offset's unit |
 * |---|---|---|---|
 * | 0 | 10, 20 or 30 | every that many seconds | – |
 * | 1 to 60 | 1 to floor(frequency × 10) | every `frequency` minutes | 6 seconds |
 * | above 60 | 1 to ceil(frequency / 60) | every `frequency` minutes | 1 hour |
 */
import type { Slots } from '../../schedule/slots.ts'

export const frequencies = [0, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440] as const

const subMinuteOffsets = [10, 20, 30]
const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** The largest offset of a frequency of at least a minute. */
export const maxOffset = (frequency: number): number =>
  frequency <= 60 ? Math.floor(frequency * 10) : Math.ceil(frequency / 60)

/** Which rule the pair breaks, as the end of a sentence about `frequencyOffset`; null if none. */
export const offsetError = (frequency: number, offset: number): string | null => {
  if (frequency === 0)
    return subMinuteOffsets.includes(offset) ? null : 'must be one of [10, 20, 30] when "frequency" is 0'
  const max = maxOffset(frequency)
  return offset >= 1 && offset <= max ? null : `must be between 1 and ${max} when "frequency" is ${frequency}`
}

/** The offset of a check that did not choose one: spread over the period by `seed`; every 10 seconds for 0. */
export const spreadOffset = (frequency: number, seed: number): number =>
  frequency === 0 ? 10 : 1 + (seed % maxOffset(frequency))

/**
 * The slots of a check. Within one unit of the offset they are spread further by `seed`, to the millisecond, so that
 * checks with the same offset do not all start in the same instant.
 */
export const slotsOf = ({
  frequency,
  offset,
  seed,
}: {
  frequency: number
  offset: number
  seed: number
}): Slots => {
  if (frequency === 0) return { periodMs: offset * secondMs, phaseMs: seed % (offset * secondMs) }
  const periodMs = frequency * minuteMs
  const unitMs = frequency <= 60 ? 6 * secondMs : hourMs
  return { periodMs, phaseMs: (offset * unitMs + (seed % unitMs)) % periodMs }
}

/** A number that is the same for a check for ever: the last 32 bits of its id, which are random. */
export const seedOf = (id: string): number => Number.parseInt(id.slice(-8), 16)
