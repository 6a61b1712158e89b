/** One answer of the control plane: when it was asked and heard (monotonic ms), and the instant it said it was. */
type ClockSample = { sentAt: number; receivedAt: number; serverTime: number }

/** What is known of the distance between the two clocks. */
export type ClockOffset = { samples: readonly ClockSample[] }

const window = 16
const maxAgeMs = 10 * 60_000

/** What is known before the first answer. */
export const noClockOffset: ClockOffset = { samples: [] }

/** Two clocks that are both right differ by no more after a second (RFC 5905 has 15 ppm; cheap quartz is worse). */
const driftPerMs = 0.0005
/** Instants are whole milliseconds. */
const roundingMs = 2

/**
 * Keeps the recent samples; a long poll among them is a poor one and loses by its round trip. One that cannot be true
 * beside the new one is from before a clock was set, or from before this machine was asleep: it is forgotten.
 */
export const withSample = ({ samples }: ClockOffset, sample: ClockSample): ClockOffset => ({
  samples: [...samples.filter((old) => agrees(old, sample)), sample].slice(-window),
})

/** Each sample bounds the offset: the instant was said after the question and before its answer was heard. */
const agrees = (old: ClockSample, sample: ClockSample): boolean => {
  const ageMs = sample.receivedAt - old.receivedAt
  const slackMs = roundingMs + ageMs * driftPerMs
  return (
    ageMs <= maxAgeMs &&
    old.serverTime - old.receivedAt <= sample.serverTime - sample.sentAt + slackMs &&
    old.serverTime - old.sentAt >= sample.serverTime - sample.receivedAt - slackMs
  )
}

/**
 * What to add to the monotonic clock to get the control plane's epoch milliseconds: from the quickest answer, whose error
 * is at most half its round trip (RFC 5905 section 8 keeps the minimum delay likewise). Null before the first sample.
 */
export const offsetOf = ({ samples }: ClockOffset): number | null => {
  let best: ClockSample | null = null
  for (const sample of samples) if (best === null || roundTrip(sample) <= roundTrip(best)) best = sample
  return best === null ? null : best.serverTime - (best.sentAt + best.receivedAt) / 2
}

const roundTrip = ({ sentAt, receivedAt }: ClockSample): number => receivedAt - sentAt
