import t from 'tap'
import {
  groupPace,
  joinsAt,
  type Pace,
  stormPace,
} from '../../../../control-plane/alerting/notifications/pace.ts'
import { randomFrom } from '../../../support/random.ts'

type Sent = { at: number; since: number[]; recoveries: number[] }

/** What leaves when, by the rule alone: each joins, and when the earliest is due, all leave. */
const leaving = (arrivals: readonly { at: number; isRecovery: boolean }[], pace: Pace): Sent[] => {
  const sent: Sent[] = []
  let waiting: { dueAt: number; at: number; isRecovery: boolean }[] = []
  const leave = (until: number): void => {
    const dueAt = Math.min(...waiting.map((one) => one.dueAt))
    if (waiting.length === 0 || dueAt > until) return
    sent.push({
      at: dueAt,
      since: waiting.map((one) => one.at),
      recoveries: waiting.filter((one) => one.isRecovery).map((one) => one.at),
    })
    waiting = []
  }
  for (const arrival of arrivals) {
    leave(arrival.at)
    const waitingUntil = waiting.length === 0 ? null : Math.min(...waiting.map((one) => one.dueAt))
    const lastAt = sent.at(-1)?.at ?? null
    const joining = { now: arrival.at, isRecovery: arrival.isRecovery }
    waiting.push({ ...arrival, dueAt: joinsAt({ waitingUntil, lastAt }, joining, pace) })
  }
  leave(Number.POSITIVE_INFINITY)
  return sent
}

for (const [name, pace] of [
  ['a storm', stormPace],
  ['a group', groupPace(300_000)],
  ['a group with a short interval', groupPace(60_000)],
] as const)
  t.test(`${name}: nothing waits longer than it may, and messages keep their distance`, async (t) => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = randomFrom(seed)
      let at = 0
      const arrivals = Array.from({ length: 1 + Math.floor(random() * 60) }, () => {
        at += Math.floor(random() * random() * 90_000)
        return { at, isRecovery: random() < 0.3 }
      })
      const sent = leaving(arrivals, pace)
      const late = sent.filter(
        (one) =>
          one.at - Math.min(...one.since) > pace.intervalMs + pace.openingMs ||
          one.recoveries.some((since) => one.at - since > pace.recoveryMs),
      )
      const close = sent.filter((one, n) => {
        const before = sent[n - 1]
        return before !== undefined && one.recoveries.length === 0 && one.at - before.at < pace.intervalMs
      })
      if (late.length + close.length > 0) t.fail(`seed ${seed}`, { late, close })
      if (sent.flatMap((one) => one.since).length !== arrivals.length) t.fail(`seed ${seed}: some are lost`)
    }
    t.equal(
      joinsAt({ waitingUntil: null, lastAt: 7_200_000 }, { now: 7, isRecovery: false }, pace),
      7 + pace.intervalMs,
      'after a clock that was set back by two hours',
    )
    t.equal(
      joinsAt({ waitingUntil: null, lastAt: null }, { now: 7, isRecovery: false }, pace),
      7 + pace.openingMs,
    )
  })
