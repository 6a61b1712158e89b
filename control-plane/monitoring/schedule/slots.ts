/**
 * Slots are fixed points in time: every t with (t - phaseMs) mod periodMs = 0. A late run does not move the next one.
 * All times are epoch milliseconds. Pure.
 */
export type Slots = { periodMs: number; phaseMs: number }

/** The first slot strictly after `time`. */
export const slotAfter = ({ periodMs, phaseMs }: Slots, time: number): number =>
  time - positiveModulo(time - phaseMs, periodMs) + periodMs

/** The last slot at or before `time`. */
export const slotAtOrBefore = ({ periodMs, phaseMs }: Slots, time: number): number =>
  time - positiveModulo(time - phaseMs, periodMs)

const positiveModulo = (value: number, modulus: number): number => ((value % modulus) + modulus) % modulus
