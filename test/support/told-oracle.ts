/**
 * Who should have been told of what, by a function of its own over what is written: results, alerts, and what was set when. It shares no
 * line with the engine. A further way to keep silent is a further entry in `reasons`.
 */
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
}
export type History = {
  checks: readonly Check[]
  points: readonly Settings[]
  results: readonly Judged[]
  alerts: readonly Alert[]
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

type Story = { check: Check; runs: readonly Judged[]; alerts: readonly Alert[] }
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

const isMuted = ({ id }: Check, { muted, stopped }: Settings): boolean =>
  muted.includes(id) || stopped.includes(id)

/** Only what was well, and is told of for the first time, has to fail often enough or for long enough. */
const isMet = ({ story: { check, runs }, point, told }: Moment): boolean => {
  if (told !== 'passing') return true
  const judged = runs.filter(({ at }) => at <= point.at)
  const level = judged.at(-1)?.level
  const before = judged.findLastIndex((run) => run.level !== level)
  if (before !== -1 && judged[before]?.level !== 'passing') return true
  const streak = judged.slice(before + 1)
  const { threshold } = check
  return 'runs' in threshold
    ? streak.length >= threshold.runs
    : point.at - (streak[0]?.at ?? point.at) >= threshold.afterMs
}

/** What is wrong with what was told; empty: every failure was told or is explained, nothing twice, every recovery, and no dependent of what is down. */
export const faultsOf = (history: History): string[] => {
  const stories = new Map(
    history.checks.map((check) => {
      const alerts = history.alerts.filter(({ checkId }) => checkId === check.id)
      return [check.id, { check, runs: runsOf(history, check.id), alerts }]
    }),
  )
  const seen = seenIn(history, stories)
  return [...stories.values()].flatMap((story) => [
    ...faultsOfSilence(history, story, seen),
    ...faultsOfAlerts(history, story, seen),
  ])
}

/** All that is told is so, is news, and does not follow from what is down. */
const faultsOfAlerts = ({ points }: History, { check, runs, alerts }: Story, seen: Seen): string[] => {
  const faults: string[] = []
  let told: Level = 'passing'
  let last = 0
  for (const { type, at } of alerts) {
    const level = tellsOf[type]
    if (isForgotten(points, { check, runs, alerts }, { from: last, to: at }, seen)) told = 'passing'
    if (level === undefined) faults.push(`${check.id} ${at}: ${type} is not known`)
    else if (level === told) faults.push(`${check.id} ${at}: ${level} is told twice`)
    // What comes due at the very moment of a run is told before it.
    const isSo =
      runs.some((run) => run.at === at && run.level === level) ||
      [at, at - 1].some((moment) => seen.levelAt(check.id, moment) === level)
    if (!isSo) faults.push(`${check.id} ${at}: ${type}, but it is ${seen.levelAt(check.id, at)}`)
    const before = points.findLast((point) => point.at <= at)
    const down = before === undefined ? [] : seen.down(check.id, { ...before, at })
    if (level !== 'passing' && down.length > 0)
      faults.push(`${check.id} ${at}: ${type}, although ${down.join()} is down`)
    told = level ?? told
    last = at
  }
  return faults
}

/** It came back while it was muted: nobody is told, and the next failure is news. */
const isForgotten = (
  points: readonly Settings[],
  { check }: Story,
  { from, to }: { from: number; to: number },
  seen: Seen,
): boolean =>
  points.some(
    (point) =>
      point.at > from &&
      point.at <= to &&
      isMuted(check, point) &&
      seen.levelAt(check.id, point.at) === 'passing',
  )

/** At every moment what is so was told, or there is a reason; a look at what it depends on may take `waitMs`. */
const faultsOfSilence = ({ points, waitMs }: History, story: Story, seen: Seen): string[] => {
  const { check, alerts } = story
  let unexplainedSince: number | null = null
  for (const point of points) {
    const last = alerts.findLast(({ at }) => at <= point.at)
    const forgotten = isForgotten(points, story, { from: last?.at ?? 0, to: point.at }, seen)
    const told = forgotten || last === undefined ? 'passing' : (tellsOf[last.type] ?? 'passing')
    const level = seen.levelAt(check.id, point.at)
    const recovers = level === 'passing'
    const moment = { story, point, told, seen }
    const explained =
      level === told || reasons.some((one) => (one.recoveriesToo || !recovers) && one.holds(moment))
    if (explained) {
      unexplainedSince = null
      continue
    }
    unexplainedSince ??= point.at
    const looks =
      !recovers && seen.pointsUntil(point.at, waitMs + lookAgainMs).some((one) => seen.depends(check.id, one))
    if (looks && point.at - unexplainedSince < waitMs) continue
    return [`${check.id} ${point.at}: ${level} since ${unexplainedSince}, told ${told}, and nobody says why`]
  }
  return []
}
