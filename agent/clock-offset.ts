/** One answer of the control plane: when it was asked and heard (monotonic ms), and the instant it said it was. */
export type ClockSample = { sentAt: number; receivedAt: number; serverTime: number }

export type ClockOffset = { samples: readonly ClockSample[] }

const window = 16
const maxAgeMs = 10 * 60_000

export const noClockOffset: ClockOffset = { samples: [] }

/** Keeps the recent samples; a long poll among them is a poor one and loses by its round trip. */
export const withSample = ({ samples }: ClockOffset, sample: ClockSample): ClockOffset => ({
  samples: [...samples.filter(({ receivedAt }) => sample.receivedAt - receivedAt <= maxAgeMs), sample].slice(
    -window,
  ),
})

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
