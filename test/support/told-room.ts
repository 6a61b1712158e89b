/**
 * Histories to try out what is told: checks and groups that depend on each other, targets that fail and come back, mutes, maintenance,
 * agents that stay away or report late, control planes that die, also in the middle of a transaction. What came of it is for told-oracle.ts.
 */
import type { Test } from 'tap'
import { createApp } from '../../control-plane/create-app.ts'
import { claimJobs } from '../../control-plane/monitoring/runs/claim-jobs.ts'
import { intakeReports } from '../../control-plane/monitoring/runs/intake.ts'
import { sweepTick } from '../../control-plane/monitoring/runs/sweep.ts'
import { scheduleTick } from '../../control-plane/monitoring/schedule/schedule.ts'
import { alertStatesTick } from '../../control-plane/monitoring/watches/alert-states/alert-states-tick.ts'
import { groupHealthTick } from '../../control-plane/monitoring/watches/group-health/group-health-tick.ts'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import type { Engine } from '../../control-plane/platform/store/database/engines.ts'
import type { WholeApp } from '../../control-plane/whole-app.ts'
import type { Job } from '../../protocol/job.ts'
import type { Report } from '../../protocol/result.ts'
import { alertRoom, type Letter, refused } from './alert-room.ts'
import { claimRequest, passingReport } from './engine-room.ts'
import type { Check, History, Settings } from './told-oracle.ts'
import { written } from './told-rows.ts'

/** Checks and groups by their places in the world; who is not there is the next one round. */
type Thing = { kind: 'check' | 'group'; place: number }
export type Incident =
  | { what: 'turn'; check: number; letter: Extract<Letter, 'p' | 'd' | 'f'> }
  | { what: 'flap'; check: number; times: number }
  | { what: 'pass'; seconds: number }
  | { what: 'agent'; mode: 'here' | 'away' | 'silent' }
  | { what: 'mute' | 'stop'; of: Thing; on: boolean }
  | { what: 'maintenance'; check: number; seconds: number }
  | { what: 'depend'; of: Thing; on: readonly Thing[] }
  | { what: 'kill'; atWork: boolean }
export type World = {
  groups: number
  /** Who tells of a group as a whole; null: it has no health of its own. */
  groupTells: 'BOTH' | 'GROUP' | null
  waitSeconds: number
  checks: ReadonlyArray<{ group: number | null; runs: number | null; often: boolean; flapping: boolean }>
  incidents: readonly Incident[]
}

const minuteMs = 60_000
/** Three changes in a row, and about ten runs without one. */
const flappingRule = { high: 15, low: 10 }
/** Programs look all the time; here it is looked so often. */
const lookMs = 5000

export const liveThrough = async (t: Test, engine: Engine['name'], world: World): Promise<History> => {
  const room = await alertRoom(t, engine)
  await room.addChannel({ autoSubscribe: true })
  const { call, locationId, advance } = room
  const now = () => room.app.clock.now()
  let app: WholeApp = room.app
  const account = { alertSettings: { dependencyWaitSeconds: world.waitSeconds } }
  t.equal((await call('PATCH', '/v1/accounts/me', { body: account })).status, 200)
  const groupIds: number[] = []
  const groupHealth = world.groupTells === null ? null : { failingWhen: 'ANY', tells: world.groupTells }
  for (let made = 0; made < world.groups; made++) {
    const body = { name: `group ${made}`, groupHealth }
    groupIds.push((await call('POST', '/v2/check-groups', { body })).body.id)
  }
  const checks: Check[] = []
  for (const [place, { group, runs, often, flapping: isLookedAt }] of world.checks.entries()) {
    const groupId = group === null ? null : (groupIds[group % groupIds.length] ?? null)
    const threshold = runs === null ? { afterMs: 5 * minuteMs } : { runs }
    const flapping = isLookedAt ? flappingRule : null
    const alertSettings = {
      ...(flapping === null ? {} : { flapping: { enabled: true, ...flapping } }),
      ...(runs === null
        ? { escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold: 5 } }
        : { runBasedEscalation: { failedRunThreshold: runs } }),
    }
    const pace = often ? { frequency: 0, frequencyOffset: 10 } : { frequency: 1 }
    const more = { tags: [`tag-${place}`], groupId, useGlobalAlertSettings: false, alertSettings, ...pace }
    checks.push({
      id: await room.addCheck({ name: `check ${place}`, ...more }),
      groupId,
      threshold,
      flapping,
    })
  }

  const health = new Map<string, Letter>()
  const muted = new Map<string, boolean>()
  const stopped = new Map<string, boolean>()
  const maintainedUntil = new Map<string, number>()
  let dependsOn: Settings['dependsOn'] = new Map()
  let mode: Extract<Incident, { what: 'agent' }>['mode'] = 'here'
  let held: Job[] = []
  let outbox: Report[] = []
  const points: Settings[] = []

  const checkAt = (place: number): Check => checks[place % checks.length] as Check
  const named = ({ kind, place }: Thing): { name: string; path: string; members: Check[] } => {
    const groupId = groupIds[place % groupIds.length]
    if (kind === 'group' && groupId !== undefined)
      return {
        name: `group:${groupId}`,
        path: `/v2/check-groups/${groupId}`,
        members: checks.filter((check) => check.groupId === groupId),
      }
    const check = checkAt(place)
    return { name: `check:${check.id}`, path: `/v1/checks/url/${check.id}`, members: [check] }
  }
  const among = (set: ReadonlyMap<string, boolean>): string[] =>
    checks
      .filter(({ id, groupId }) => set.get(`check:${id}`) || set.get(`group:${groupId}`))
      .map(({ id }) => id)

  const runDueJobs = async (): Promise<void> => {
    await scheduleTick(app)
    await sweepTick(app)
    if (mode === 'away') return
    held.push(...(await claimJobs(app, { location: locationId, agent: claimRequest({ agentId: 'agent' }) })))
    // Jobs come ahead of their time.
    const due = held.filter(({ runAt }) => runAt <= now())
    held = held.filter((job) => !due.includes(job))
    for (const job of due) outbox.push(reportOf(job, health.get(job.checkId) ?? 'p', now()))
  }
  const deliver = async (): Promise<boolean> => {
    const some = mode === 'here' && outbox.length > 0
    while (mode === 'here' && outbox.length > 0) {
      advance(1)
      await intakeReports(app, locationId, outbox.slice(0, 2))
      outbox = outbox.slice(2)
    }
    return some
  }
  /** All that is due at this moment is done, and what comes of that, too. */
  const settle = async (): Promise<void> => {
    let goesOn = true
    while (goesOn) {
      await runDueJobs()
      goesOn = await deliver()
      await alertStatesTick(app)
      await groupHealthTick(app)
    }
    points.push({
      at: now(),
      muted: among(muted),
      stopped: among(stopped),
      silenced: [...maintainedUntil].filter(([, until]) => until > now()).map(([id]) => id),
      dependsOn,
    })
    advance(1)
  }
  const restart = (db: Database): WholeApp => {
    const { config, log, cipher, clock, newId } = room.app
    return createApp({ config, db, log, cipher, clock, newId })
  }
  /** Dies when everything is written and nothing is committed; the agent keeps what was not acknowledged. */
  const dieAtWork = async (): Promise<void> => {
    app = restart(dying(room.app.db))
    await deliver().catch((error: unknown) => {
      if (error !== killed) throw error
    })
    for (const tick of [alertStatesTick, groupHealthTick])
      await tick(app).catch((error: unknown) => {
        if (error !== killed) throw error
      })
  }
  const patch = async (of: Thing, body: object): Promise<boolean> =>
    (await call('PATCH', named(of).path, { body })).status === 200

  const pass = async (seconds: number): Promise<void> => {
    for (let left = seconds * 1000; left > 0; left -= lookMs) {
      advance(Math.min(left, lookMs))
      await settle()
    }
  }

  const meet = async (incident: Incident): Promise<void> => {
    switch (incident.what) {
      case 'turn':
        health.set(checkAt(incident.check).id, incident.letter)
        return
      case 'pass':
        return pass(incident.seconds)
      case 'flap':
        for (let turn = 0; turn < incident.times; turn++) {
          const { id } = checkAt(incident.check)
          health.set(id, health.get(id) === 'f' ? 'p' : 'f')
          await pass(10)
        }
        return
      case 'agent':
        mode = incident.mode
        return
      case 'mute':
        await patch(incident.of, { muted: incident.on })
        muted.set(named(incident.of).name, incident.on)
        return
      case 'stop':
        await patch(incident.of, { activated: !incident.on })
        stopped.set(named(incident.of).name, incident.on)
        return
      case 'maintenance':
        return maintain(checkAt(incident.check), incident.seconds)
      case 'depend': {
        const on = [...new Map(incident.on.map((one) => [named(one).name, one])).values()]
        if (await patch(incident.of, { dependsOn: on.map((one) => referenceTo(named(one).name)) }))
          dependsOn = new Map(dependsOn).set(
            named(incident.of).name,
            on.map((one) => named(one).name),
          )
        return
      }
      case 'kill':
        if (incident.atWork) await dieAtWork()
        app = restart(room.app.db)
    }
  }
  /** One at a time, of what is never muted: which of two silences was first would decide what is remembered. */
  const maintain = async ({ id, groupId }: Check, seconds: number): Promise<void> => {
    if (groupId !== null || maintainedUntil.has(id) || muted.has(`check:${id}`) || stopped.has(`check:${id}`))
      return
    const place = checks.findIndex((check) => check.id === id)
    const until = now() + seconds * 1000
    const times = { startsAt: new Date(now()).toISOString(), endsAt: new Date(until).toISOString() }
    const body = { name: 'work', ...times, silenceAlertsTags: [`tag-${place}`] }
    t.equal((await call('POST', '/v1/maintenance-windows', { body })).status, 201)
    maintainedUntil.set(id, until)
  }
  const isMaintained = ({ members }: ReturnType<typeof named>): boolean =>
    members.some(({ id }) => maintainedUntil.has(id))

  for (const incident of world.incidents) {
    const skipped = (incident.what === 'mute' || incident.what === 'stop') && isMaintained(named(incident.of))
    if (!skipped) await meet(incident)
    await settle()
  }
  return {
    checks,
    points,
    groupsTell: groupHealth !== null,
    waitMs: world.waitSeconds * 1000,
    ...(await written(app.db)),
  }
}

const killed = new Error('The control plane was killed')

const dying = (db: Database): Database => ({
  ...db,
  transaction: (work) =>
    db.transaction(async (trx) => {
      await work(trx)
      throw killed
    }),
})

const referenceTo = (name: string): object =>
  name.startsWith('group:') ? { groupId: Number(name.slice(6)) } : { checkId: name.slice(6) }

const reportOf = (job: { id: string; fence: number }, letter: Letter, now: number): Report => {
  const report = passingReport(job, now)
  if (report.outcome.kind !== 'observed') return report
  const { observation } = report.outcome
  return {
    ...report,
    outcome: {
      kind: 'observed',
      observation: {
        ...observation,
        degraded: letter === 'd',
        failure: letter === 'f' ? refused : null,
      },
    },
  }
}
