/**
 * Who should have been told of what, by a function of its own over what is written: results, alerts, and what was set when. It shares no
 * line with the engine. A further way to keep silent is a further entry in `reasons`.
 */
import { flapsOf } from './told-flaps.ts'

export type Level = 'passing' | 'degraded' | 'failing'

/** `check:<id>` and `group:<id>`. */
type Name = string
export type Settings = {
  /** When it was looked at; whatever was due has been handled. */
  at: number
  muted: readonly string[]
  /** Checks that do not run, by themselves or by their group. */
  stopped: readonly string[]
  /** Checks in maintenance. */
  silenced: readonly string[]
  dependsOn: ReadonlyMap<Name, readonly Name[]>
}
export type Judged = { checkId: string; level: Level; at: number; stoppedAt: number }
export type Alert = { checkId: string; type: string; at: number }
export type Check = {
  id: string
  groupId: number | null
  threshold: { runs: number } | { afterMs: number }
  /** Percent at which it begins to flap, and below which that ends; null: nobody looks. */
  flapping: { high: number; low: number } | null
}
export type History = {
  checks: readonly Check[]
  points: readonly Settings[]
  results: readonly Judged[]
  alerts: readonly Alert[]
  /** Groups have a health of their own. */
  groupsTell: boolean
  /** How long a look at what is depended on may take. */
  waitMs: number
}

const tellsOf: Record<string, Level> = {
  ALERT_DEGRADED: 'degraded',
  ALERT_DEGRADED_REMAIN: 'degraded',
  ALERT_FAILURE_DEGRADED: 'degraded',
  ALERT_FAILURE: 'failing',
  ALERT_FAILURE_REMAIN: 'failing',
  ALERT_DEGRADED_FAILURE: 'failing',
  ALERT_RECOVERY: 'passing',
  ALERT_DEGRADED_RECOVERY: 'passing',
}

const historyMs = 30_000
/** What is down is looked at again so often, whatever was changed of what depends on it. */
const lookAgainMs = 15_000

/** Runs that count, in the order in which they were judged. */
const runsOf = ({ results }: History, checkId: string): Judged[] => {
  const kept: Judged[] = []
  let upTo = 0
  for (const run of results) {
    if (run.checkId !== checkId || run.stoppedAt < upTo - historyMs) continue
    kept.push(run)
    upTo = Math.max(upTo, run.stoppedAt)
  }
  return kept
}

/** `flaps`: after each run, whether it does. */
type Story = { check: Check; runs: readonly Judged[]; flaps: readonly boolean[]; alerts: readonly Alert[] }

const flapsAt = ({ runs, flaps }: Story, at: number): boolean =>
  flaps[runs.findLastIndex((run) => run.at <= at)] ?? false
/** What people believe. */
type Belief = { level: Level; flaps: boolean }
type Moment = { story: Story; point: Settings; told: Level; seen: Seen }
type Seen = {
  levelAt(checkId: string, at: number): Level
  /** Those among what the check depends on that are down. */
  down(checkId: string, point: Settings): Name[]
  depends(checkId: string, point: Settings): boolean
  pointsUntil(at: number, backMs: number): readonly Settings[]
}

const seenIn = (history: History, stories: ReadonlyMap<string, Story>): Seen => {
  const levelAt = (checkId: string, at: number): Level =>
    stories.get(checkId)?.runs.findLast((run) => run.at <= at)?.level ?? 'passing'
  const namesOf = ({ id, groupId }: Check): Name[] => [
    `check:${id}`,
    ...(groupId === null ? [] : [`group:${groupId}`]),
  ]
  const dependsOn = (checkId: string, { dependsOn }: Settings): Name[] => {
    const check = stories.get(checkId)?.check
    return check === undefined ? [] : namesOf(check).flatMap((name) => dependsOn.get(name) ?? [])
  }
  const isDown = (name: Name, point: Settings): boolean => {
    const members = history.checks.filter(
      (check) => namesOf(check).includes(name) && !point.stopped.includes(check.id),
    )
    return members.length > 0 && members.every(({ id }) => levelAt(id, point.at) === 'failing')
  }
  return {
    levelAt,
    depends: (checkId, point) => dependsOn(checkId, point).length > 0,
    down: (checkId, point) => dependsOn(checkId, point).filter((name) => isDown(name, point)),
    pointsUntil: (at, backMs) => history.points.filter((point) => point.at <= at && point.at > at - backMs),
  }
}

type Reason = { name: string; holds(moment: Moment): boolean; recoveriesToo: boolean }

/** Why it is right that nobody was told yet of the level that the check has. */
const reasons: readonly Reason[] = [
  {
    name: 'muted, or stopped',
    recoveriesToo: true,
    holds: ({ story: { check }, point }) => isMuted(check, point),
  },
  {
    name: 'no run since it was muted',
    recoveriesToo: false,
    holds: ({ story: { check, runs }, point, seen }) => {
      const last = runs.findLast(({ at }) => at <= point.at)
      const muted = seen
        .pointsUntil(point.at, Number.POSITIVE_INFINITY)
        .findLast((one) => isMuted(check, one))
      return muted !== undefined && (last === undefined || last.at <= muted.at)
    },
  },
  {
    name: 'in maintenance',
    recoveriesToo: true,
    holds: ({ story: { check }, point }) => point.silenced.includes(check.id),
  },
  { name: 'below its threshold', recoveriesToo: false, holds: (moment) => !isMet(moment) },
  {
    name: 'what it depends on is down',
    recoveriesToo: false,
    holds: ({ story: { check }, point, seen }) => seen.down(check.id, point).length > 0,
  },
  {
    name: 'what it depends on was down, and somebody has changed what depends on what',
    recoveriesToo: false,
    holds: ({ story: { check }, point, seen }) =>
      seen.pointsUntil(point.at, lookAgainMs).some((one) => seen.down(check.id, one).length > 0) &&
      seen
        .pointsUntil(point.at, lookAgainMs)
        .some((one) => one.dependsOn !== point.dependsOn || one.stopped.join() !== point.stopped.join()),
  },
]

const isMuted = ({ id }: Check, { muted, stopped }: Settings): boolean => [...muted, ...stopped].includes(id)

/** Only what was well, and is told of for the first time, has to fail often enough or for long enough. */
const isMet = ({ story: { check, runs }, point, told }: Moment): boolean => {
  if (told !== 'passing') return true
  const judged = runs.filter(({ at }) => at <= point.at)
  const level = judged.at(-1)?.level
  const before = judged.findLastIndex((run) => run.level !== level)
  if (before !== -1 && judged[before]?.level !== 'passing') return true
  const streak = judged.slice(before + 1)
  return 'runs' in check.threshold
    ? streak.length >= check.threshold.runs
    : point.at - (streak[0]?.at ?? point.at) >= check.threshold.afterMs
}

const storiesOf = (history: History): Map<string, Story> =>
  new Map(
    history.checks.map((check) => {
      const alerts = history.alerts.filter(({ checkId }) => checkId === check.id)
      const runs = runsOf(history, check.id)
      return [check.id, { check, runs, flaps: flapsOf(check, runs), alerts }]
    }),
  )

/** What people believe of each check at a moment, by the settings of that time. */
export const beliefsIn = (history: History): ((checkId: string, at: number) => Level) => {
  const stories = storiesOf(history)
  const seen = seenIn(history, stories)
  return (checkId, at) => {
    const story = stories.get(checkId)
    return story === undefined ? 'passing' : beliefAt(history.points, story, { at, seen }).level
  }
}

/** What is wrong with what was told; empty: every failure was told or is explained, nothing twice, every recovery, and no dependent of what is down. */
export const faultsOf = (history: History): string[] => {
  const stories = storiesOf(history)
  const seen = seenIn(history, stories)
  const faultsIn = [faultsOfSilence, faultsOfAlerts]
  return [...stories.values()].flatMap((story) => faultsIn.flatMap((find) => find(history, story, seen)))
}

const allWell: Belief = { level: 'passing', flaps: false }

/** The check as it may have been when something was told: what comes due at the very moment of a run is told before it, or between two. */
const waysAt = ({ runs, flaps }: Story, at: number): Belief[] => {
  const before = runs.findLastIndex((run) => run.at < at)
  const last = runs.findLastIndex((run) => run.at <= at)
  const ways: Belief[] = []
  for (let place = last; place >= before; place--)
    ways.push({ level: runs[place]?.level ?? 'passing', flaps: flaps[place] ?? false })
  return ways
}

/** What people believe after it; a text: why it is wrong to tell them. */
const afterTelling = (told: Belief, level: Level, is: Belief): Belief | string => {
  if (told.flaps && is.flaps) return `${level} is told although it flaps, which was told`
  // That it flaps is told as the worst of it.
  const begins = is.flaps && !told.flaps
  const due = begins && is.level === 'passing' ? told.level : is.level
  if (level !== due) return `${level} is told, but it is ${due}`
  if (begins ? due === 'passing' : !told.flaps && level === told.level) return `${level} is told twice`
  return { level, flaps: is.flaps }
}

/** What people believe at a moment, by all that was told them until then; `each` sees every alert with what it may have meant. */
const beliefAt = (
  points: readonly Settings[],
  story: Story,
  { at: until, seen }: { at: number; seen: Seen },
  each: (alert: Alert, ways: readonly (Belief | string)[]) => void = () => {},
): Belief => {
  let told = allWell
  let last = 0
  for (const alert of story.alerts.filter(({ at }) => at <= until)) {
    const { at, type } = alert
    const before = isForgotten(points, story, { from: last, to: at }, seen) ? allWell : told
    const level = tellsOf[type]
    const ways = waysAt(story, at).map((is) => (level ? afterTelling(before, level, is) : 'not known'))
    each(alert, ways)
    const right = ways.find((way): way is Belief => typeof way !== 'string')
    told = right ?? { level: level ?? 'passing', flaps: flapsAt(story, at) }
    last = at
  }
  return isForgotten(points, story, { from: last, to: until }, seen) ? allWell : told
}

/** All that is told is so, is news, and does not follow from what is down. */
const faultsOfAlerts = ({ points }: History, story: Story, seen: Seen): string[] => {
  const { check } = story
  const faults: string[] = []
  beliefAt(points, story, { at: Number.POSITIVE_INFINITY, seen }, ({ at, type }, ways) => {
    if (ways.every((way) => typeof way === 'string')) faults.push(`${check.id} ${at}: ${type}: ${ways[0]}`)
    const before = points.findLast((point) => point.at <= at)
    const down = before === undefined ? [] : seen.down(check.id, { ...before, at })
    if (tellsOf[type] !== 'passing' && down.length > 0)
      faults.push(`${check.id} ${at}: ${type}, although ${down.join()} is down`)
  })
  return faults
}

/** It came back while it was muted, and holds still: nobody is told, and the next failure is news. */
const isForgotten = (
  points: readonly Settings[],
  story: Story,
  { from, to }: { from: number; to: number },
  seen: Seen,
): boolean =>
  points.some(
    (point) =>
      point.at > from &&
      point.at <= to &&
      isMuted(story.check, point) &&
      seen.levelAt(story.check.id, point.at) === 'passing' &&
      !flapsAt(story, point.at),
  )

/** Nothing is left to tell. While it flaps, that is all; of what flaps and was never told, the next failure says so. */
const isKnown = (told: Belief, is: Belief): boolean => {
  if (is.flaps) return told.flaps || (told.level === 'passing' && is.level === 'passing')
  return !told.flaps && told.level === is.level
}

/** At every moment what is so was told, or there is a reason; a look at what it depends on may take `waitMs`. */
const faultsOfSilence = ({ points, waitMs }: History, story: Story, seen: Seen): string[] => {
  const { check } = story
  let unexplainedSince: number | null = null
  for (const point of points) {
    const belief = beliefAt(points, story, { at: point.at, seen })
    const level = seen.levelAt(check.id, point.at)
    const flaps = flapsAt(story, point.at)
    const recovers = level === 'passing' && !flaps
    const moment = { story, point, told: belief.level, seen }
    const explained =
      isKnown(belief, { level, flaps }) ||
      reasons.some((one) => (one.recoveriesToo || !recovers) && one.holds(moment))
    if (explained) {
      unexplainedSince = null
      continue
    }
    unexplainedSince ??= point.at
    const looks =
      !recovers && seen.pointsUntil(point.at, waitMs + lookAgainMs).some((one) => seen.depends(check.id, one))
    if (looks && point.at - unexplainedSince < waitMs) continue
    const told = belief.flaps ? `${belief.level} and flapping` : belief.level
    return [`${check.id} ${point.at}: ${level} since ${unexplainedSince}, told ${told}, and nobody says why`]
  }
  return []
}
