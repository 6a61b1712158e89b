/** All checks of an account that nobody would be told of: what there is is read as a whole, a statement for each kind of rows. */

import { channelDoc } from '../../alerting/alert-channels/channel-doc.ts'
import { canWait, opensAt } from '../../alerting/alert-channels/channel-hours.ts'
import { subjectText } from '../../alerting/alert-channels/subscriptions.ts'
import type { ChannelTypeName } from '../../alerting/channels/channel-type.ts'
import { channels as channelTypes } from '../../alerting/channels/index.ts'
import type { HasProviders } from '../../alerting/channels/providers.ts'
import { neededOf } from '../../alerting/engine/group-verdict.ts'
import type { Severity } from '../../alerting/messages/alert-types.ts'
import { channelsToTellOfLocations, latestOfChannel } from '../../alerting/notifications/outbox-queries.ts'
import { activeIntervals } from '../../communication/maintenance-windows/active-windows.ts'
import { openWindows } from '../../communication/maintenance-windows/queries.ts'
import { planOf, touchedOf, untouched } from '../../communication/maintenance-windows/window-plans.ts'
import { groupsOfAccount } from '../../monitoring/definitions/check-groups/queries.ts'
import { type GroupDoc, groupDoc } from '../../monitoring/definitions/check-groups/schema.ts'
import { dependenciesOf } from '../../monitoring/definitions/dependencies/queries.ts'
import { apart } from '../../monitoring/definitions/dependencies/schema.ts'
import type { App } from '../../platform/app/app.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { type CheckToTell, type Receiver, silenceOf } from './silence-of.ts'
import { checksToTell, levelsOfChecks, subscriptionsOfAccount, tagsOfAccount } from './silent-queries.ts'
import type { SilentCheck } from './silent-schema.ts'

const dayMs = 86_400_000
const triesLookedAt = 20

/** Oldest first. */
export const silentChecks = async (app: App & HasProviders, accountId: string): Promise<SilentCheck[]> => {
  const { db } = app
  const now = app.clock.now()
  const checks = await db.all(checksToTell, { accountId })
  const groups = new Map(
    (await db.all(groupsOfAccount, { accountId })).map(({ id, name, doc }) => [
      id,
      { ...groupDoc.read(doc), name },
    ]),
  )
  const subscriptionsOf = await subscriptionsIn(app, accountId, { groups, now })
  const maintenanceOf = await maintenanceIn(db, accountId, { groups, now })
  const tellingGroupOf = groupsThatTell(checks, groups)
  const downOf = await downDependencies(db, checks, groups)
  return checks.flatMap((check): SilentCheck[] => {
    const { id, name, group_id: groupId } = check
    const group = groupId === null ? undefined : groups.get(groupId)
    const severity = (check.severity ?? 'NORMAL') as Severity
    const silence = silenceOf({
      stoppedBy: !check.activated ? 'check' : group?.activated === false ? 'group' : null,
      mutedBy: isTrue(check.muted) ? 'check' : group?.muted ? 'group' : null,
      severity,
      subscriptions: subscriptionsOf(check),
      tellingGroup: tellingGroupOf(check),
      maintenance: maintenanceOf(check),
      downDependency: downOf(check),
      now,
    })
    if (silence === null) return []
    const { since, until, ...rest } = silence
    return [
      { checkId: id, name, groupId, severity, ...rest, since: toIsoOrNull(since), until: toIsoOrNull(until) },
    ]
  })
}

type Check = { id: string; name: string; group_id: number | null; activated: boolean }
type Groups = ReadonlyMap<number, GroupDoc & { name: string }>

/** Engines say it in their own ways. */
const isTrue = (text: string | null): boolean => text === 'true' || text === '1'

const subscriptionsIn = async (
  app: App & HasProviders,
  accountId: string,
  { groups, now }: { groups: Groups; now: number },
) => {
  const receivers = await receiversOf(app, accountId, now)
  const bySubject = Map.groupBy(
    await app.db.all(subscriptionsOfAccount, { accountId }),
    ({ subject }) => subject,
  )
  return ({ id: checkId, group_id: groupId }: Check): CheckToTell['subscriptions'] => {
    // Its group tells instead of it.
    const isTold = groupId !== null && groups.get(groupId)?.groupHealth?.tells === 'GROUP'
    const own = isTold ? [] : (bySubject.get(subjectText({ checkId })) ?? [])
    const ofGroup = groupId === null ? [] : (bySubject.get(subjectText({ groupId })) ?? [])
    const others = ofGroup.filter((one) => !own.some(({ channel_id }) => channel_id === one.channel_id))
    return [...own, ...others].flatMap(({ channel_id, activated }) => {
      const receiver = receivers.get(channel_id)
      return receiver === undefined ? [] : [{ receiver, activated }]
    })
  }
}

/** Those that tell instead of their checks, and for which one that fails is not enough. */
const groupsThatTell = (checks: readonly (Check & { muted: string | null })[], groups: Groups) => {
  const counted = checks.filter(({ activated, muted }) => activated && !isTrue(muted))
  const sizes = Map.groupBy(counted, ({ group_id }) => group_id)
  return ({ group_id: groupId }: Check): string | null => {
    const group = groupId === null ? undefined : groups.get(groupId)
    const rule = group?.groupHealth
    if (rule?.tells !== 'GROUP') return null
    return neededOf(sizes.get(groupId)?.length ?? 0, rule) > 1 ? (group?.name ?? null) : null
  }
}

const receiversOf = async (
  app: App & HasProviders,
  accountId: string,
  now: number,
): Promise<Map<number, Receiver>> => {
  const receivers = new Map<number, Receiver>()
  for (const { id, type, doc } of await app.db.all(channelsToTellOfLocations, { accountId })) {
    const { sendFailure, hours } = channelDoc.read(doc)
    const lacks = channelTypes[type as ChannelTypeName].missingSetting?.(app.config.providers) ?? null
    const begins = hours === null ? now : opensAt(hours, now)
    receivers.set(id, {
      id,
      sendFailure,
      broken: lacks === null ? await brokenSince(app.db, id) : { since: null },
      opensAt: (severity) => (hours !== null && canWait(hours, severity) ? begins : now),
    })
  }
  return receivers
}

/** Its newest messages were all given up, or are tried again; since the first of them. */
const brokenSince = async (db: Db, channelId: number): Promise<Receiver['broken']> => {
  const tried = (await db.all(latestOfChannel, { channelId, limit: triesLookedAt })).filter(
    ({ status, tries }) => status !== 'WITHDRAWN' && (status !== 'IN_PROGRESS' || tries > 0),
  )
  const arrived = tried.findIndex(({ status }) => status === 'SUCCESS')
  const failed = arrived === -1 ? tried : tried.slice(0, arrived)
  return failed.some(({ status }) => status === 'FAILURE')
    ? { since: failed.at(-1)?.created_at ?? null }
    : null
}

const maintenanceIn = async (db: Db, accountId: string, { groups, now }: { groups: Groups; now: number }) => {
  const inForce: Array<{ name: string; until: number | null; tags: readonly string[] | 'all' }> = []
  for (const row of await db.all(openWindows, { accountIds: [accountId], now })) {
    const plan = planOf(row, row.over_at === null ? await touchedOf(db, row.id) : untouched)
    const within = { from: now, to: now + dayMs }
    const current = activeIntervals(plan, within).find(({ from, to }) => from <= now && now < to)
    if (current === undefined) continue
    const until = current.to < within.to ? current.to : null
    inForce.push({ name: row.name, until, tags: plan.silenceAllAlerts ? 'all' : plan.silenceAlertsTags })
  }
  const byTags = inForce.some(({ tags }) => tags !== 'all' && tags.length > 0)
  const tagsOf = Map.groupBy(byTags ? await db.all(tagsOfAccount, { accountId }) : [], (one) => one.check_id)
  return ({ id, group_id: groupId }: Check): CheckToTell['maintenance'] => {
    if (inForce.length === 0) return null
    const own = (tagsOf.get(id) ?? []).map(({ tag }) => tag)
    const all = [...own, ...((groupId === null ? null : groups.get(groupId))?.tags ?? [])]
    return inForce.find(({ tags }) => tags === 'all' || tags.some((tag) => all.includes(tag))) ?? null
  }
}

/** A group is down while all of its active checks fail. */
const downDependencies = async (db: Db, checks: readonly Check[], groups: Groups) => {
  const texts = [
    ...checks.map(({ id }) => subjectText({ checkId: id })),
    ...[...groups.keys()].map((groupId) => subjectText({ groupId })),
  ]
  const rows = await db.all(dependenciesOf, { texts })
  if (rows.length === 0) return () => null
  const active = checks.filter(
    (one) => one.activated && (one.group_id === null || groups.get(one.group_id)?.activated !== false),
  )
  const { checkIds, groupIds } = apart([...new Set(rows.map(({ depends_on }) => depends_on))])
  const [namedChecks, namedGroups] = [new Set(checkIds), new Set(groupIds)]
  const asked = active.filter(
    ({ id, group_id }) => namedChecks.has(id) || (group_id !== null && namedGroups.has(group_id)),
  )
  const levels = await db.all(levelsOfChecks, { ids: asked.map(({ id }) => id) })
  const failing = new Set(levels.filter(({ level }) => level === 'failing').map(({ check_id }) => check_id))
  const down = new Map<string, string>()
  for (const { id, name } of asked) if (failing.has(id)) down.set(subjectText({ checkId: id }), name)
  for (const [groupId, members] of Map.groupBy(asked, ({ group_id }) => group_id))
    if (groupId !== null && members.every(({ id }) => failing.has(id)))
      down.set(subjectText({ groupId }), groups.get(groupId)?.name ?? '')
  const byDependent = Map.groupBy(rows, ({ dependent }) => dependent)
  return ({ id: checkId, group_id: groupId }: Check): string | null => {
    const own = byDependent.get(subjectText({ checkId })) ?? []
    const ofGroup = groupId === null ? [] : (byDependent.get(subjectText({ groupId })) ?? [])
    const on = [...own, ...ofGroup].find(({ depends_on }) => down.has(depends_on))
    return on === undefined ? null : (down.get(on.depends_on) ?? null)
  }
}
