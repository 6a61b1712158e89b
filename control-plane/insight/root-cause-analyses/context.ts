import { kindOf } from '../../monitoring/definitions/checks/types/index.ts'
import { readInstant, toIso } from '../../platform/words/shapes/instants.ts'
import { inEnglish, type Told, tell } from '../../platform/words/told.ts'
import type { Facts } from './facts.ts'
import { artifact, evidence } from './rules/rule.ts'
import type { Evidence } from './schema.ts'

/** A change of the check this shortly before the first failure is worth a word. */
const recentChangeMs = 60 * 60_000

/** What the history and the neighbours add to any finding: since when, where, who else. Each a sentence, or nothing. */
export const contextOf = (facts: Facts): Told[] => [since(facts), ...circumstancesOf(facts)]

/** Without since when: messages say that beside it. */
export const circumstancesOf = (facts: Facts): Told[] =>
  [where(facts), sameHost(facts), trend(facts), changed(facts), expiry(facts), recovered(facts)].filter(
    (sentence) => sentence !== null,
  )

/** The failure in its own words, and the history that the sentences rest on. */
export const commonEvidence = (facts: Facts): Evidence[] => {
  const { run, history, group } = facts
  const seen = run.failure === null ? group.message : `${run.failure.code}: ${run.failure.message}`
  return [
    evidence(
      `Observed${run.location === '' ? '' : ` in ${run.location}`} at ${toIso(run.startedAt)}: ${seen}`.slice(
        0,
        3000,
      ),
      ...(kindOf(facts.check.type).detail?.http === undefined ? [] : [artifact.request]),
    ),
    ...(history.runs > 0
      ? [
          evidence(
            `${history.failed} of the last ${history.runs} runs failed; this error was seen ${inEnglish(times(group.events))} since ${toIso(group.firstSeenAt)}.`,
            { name: 'CHECK_RESULTS', type: 'HISTORY' },
          ),
        ]
      : []),
  ]
}

const since = ({ history, now }: Facts): Told => {
  const { failuresInRow, failingSince, lastPassedAt, passesAgainSince } = history
  const until = passesAgainSince ?? now
  const row =
    failuresInRow === 1 ? tell`This is one failed run` : tell`${failuresInRow} runs have failed in a row`
  const passed =
    lastPassedAt === null
      ? tell`no earlier run that passed is on record`
      : tell`the last run before passed at ${{ at: lastPassedAt }}`
  return tell`${row} since ${{ at: failingSince }} (${duration(until - failingSince)}); ${passed}.`
}

const where = ({ history, run }: Facts): Told | null => {
  const { locations } = history
  if (locations.length < 2) return null
  const failing = locations.filter(({ failsNow }) => failsNow).map(({ location }) => location)
  const passing = locations.filter(({ failsNow }) => !failsNow).map(({ location }) => location)
  if (passing.length === 0)
    return tell`It fails in all ${locations.length} locations, so the target itself is the suspect.`
  if (failing.length === 0) return null
  return tell`It fails in ${list(failing)} and passes in ${list(passing)}: compare the way from ${run.location} with the others.`
}

const sameHost = ({ neighbours, check }: Facts): Told | null => {
  const same = neighbours.filter(({ host }) => host !== null && host === check.host)
  if (same.length === 0) return null
  const failing = same.filter(({ fails }) => fails)
  if (failing.length === 0)
    return tell`The other checks of ${check.host} (${same.length}) pass at the same time: the host is up, this request is not.`
  return tell`${failing.length} of ${same.length} other checks of ${check.host} fail at the same time: ${list(failing.map(({ name }) => `"${name}"`))}.`
}

const trend = ({ history: { latency } }: Facts): Told | null => {
  if (latency === null || latency.justBeforeMs < 50 || latency.justBeforeMs < latency.usualMs * 2) return null
  return tell`It had become slow before it failed: a median of ${latency.justBeforeMs} ms in the last passing runs, ${latency.usualMs} ms before. Overload or exhaustion is likely.`
}

const changed = ({ check, history: { failingSince } }: Facts): Told | null => {
  const { updatedAt } = check
  if (updatedAt === null || updatedAt > failingSince || failingSince - updatedAt > recentChangeMs) return null
  return tell`The check itself was changed ${duration(failingSince - updatedAt)} before the first failure: look at that change too.`
}

const expiry = ({ run }: Facts): Told | null => {
  const certificate = run.http?.certificate
  if (!certificate || certificate.daysRemaining > 14 || certificate.daysRemaining < 0) return null
  return tell`Besides, the certificate expires in ${certificate.daysRemaining} days (${moment(certificate.validTo)}).`
}

const recovered = ({ history: { passesAgainSince } }: Facts): Told | null =>
  passesAgainSince === null ? null : tell`It has passed again since ${{ at: passesAgainSince }}.`

const moment = (text: string): string | { at: number } => {
  const at = readInstant(text)
  return at === null ? text : { at }
}

const times = (count: number): Told => (count === 1 ? tell`once` : tell`${count} times`)

const list = (items: readonly string[]): string | Told =>
  items.length > 5 ? tell`${items.slice(0, 5).join(', ')} and ${items.length - 5} more` : items.join(', ')

const duration = (ms: number): Told => {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 1) return tell`${Math.max(0, Math.round(ms / 1000))} s`
  if (minutes < 120) return tell`${minutes} min`
  return minutes < 2880 ? tell`${Math.round(minutes / 60)} h` : tell`${Math.round(minutes / 1440)} days`
}
