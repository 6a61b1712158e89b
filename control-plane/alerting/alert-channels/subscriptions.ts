/**
 * Subscriptions from both ends: a channel's list of checks and groups, and a check's or group's list of channels. A
 * *subject* is a check or a group as one text. Everything here belongs in the transaction of what it follows from.
 */
import type { Violation } from '../../../protocol/validate.ts'
import { nextNumber, nextNumbers } from '../../platform/store/database/counters.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { runForRows } from '../../platform/store/database/row-statement.ts'
import { invalid, violation } from '../../platform/words/errors.ts'
import type { ChannelConfig } from '../channels/channel-type.ts'
import { shownConfig, type Viewer } from './channel-row.ts'
import { type CheckAlertChannels, toCheckAlertChannels } from './check-alert-channels.ts'
import type { NewSubscription, Subscription } from './schema.ts'
import {
  channelsOfSubject,
  channelsOfSubjects,
  deleteOfSubject,
  deleteOthersOfChannel,
  holdChannels,
  holdChecks,
  holdChecksThat,
  holdGroups,
  subscriptionRows,
  upsertSubscription,
  type Which,
} from './subscription-queries.ts'

type Subject = { checkId: string } | { groupId: number }
type Subscriber = { accountId: string } & Subject

/** An item of `alertChannelSubscriptions` of checks and groups. */
export type ChannelChoice = { alertChannelId: number; activated: boolean }

export const subjectText = (subject: Subject): string =>
  'checkId' in subject ? `check:${subject.checkId}` : `group:${subject.groupId}`

/** `autoAssignAlerts`: a new check or group subscribes to all channels of its account. */
export const subscribeToAll = (trx: Db, subscriber: Subscriber): Promise<void> =>
  subscribeWhere(trx, subscriber, () => true)

/** `autoSubscribe`: a new check subscribes to the channels that ask for it. */
export const subscribeAuto = (trx: Db, subscriber: Subscriber): Promise<void> =>
  subscribeWhere(trx, subscriber, (channel) => channel.auto_subscribe)

const subscribeWhere = async (
  trx: Db,
  subscriber: Subscriber,
  wanted: (channel: { auto_subscribe: boolean }) => boolean,
): Promise<void> => {
  const { accountId } = subscriber
  for (const channel of await trx.all(holdChannels, { accountId }))
    if (wanted(channel)) await subscribe(trx, accountId, { channelId: channel.id, subject: subscriber })
}

/** Replaces what a check or group subscribes to. @throws ApiError 400 naming channels that do not exist */
export const setSubscriptions = async (
  trx: Db,
  subscriber: Subscriber,
  choices: readonly ChannelChoice[],
): Promise<void> => {
  const { accountId } = subscriber
  const known = new Set((await trx.all(holdChannels, { accountId })).map(({ id }) => id))
  const unknown = choices.flatMap(({ alertChannelId }, position) =>
    known.has(alertChannelId)
      ? []
      : [
          violation(
            `alertChannelSubscriptions.${position}.alertChannelId`,
            'exists',
            `names an alert channel that does not exist: ${alertChannelId}`,
          ),
        ],
  )
  if (unknown.length > 0) throw invalid(unknown)
  await dropSubscriptions(trx, subscriber)
  for (const { alertChannelId: channelId, activated } of choices)
    await subscribe(trx, accountId, { channelId, subject: subscriber, activated })
}

/** For the deletion of a check or group. */
export const dropSubscriptions = async (trx: Db, subscriber: Subscriber): Promise<void> => {
  await trx.run(deleteOfSubject, { accountId: subscriber.accountId, subject: subjectText(subscriber) })
}

type OneSubscription = { channelId: number; subject: Subject; activated?: boolean }

export const subscribe = async (
  trx: Db,
  accountId: string,
  { channelId, subject, activated = true }: OneSubscription,
): Promise<Subscription> => {
  const row = await trx.get(upsertSubscription, {
    id: await nextNumber(trx, 'channel-subscription'),
    account_id: accountId,
    channel_id: channelId,
    subject: subjectText(subject),
    check_id: 'checkId' in subject ? subject.checkId : null,
    group_id: 'groupId' in subject ? subject.groupId : null,
    activated,
  })
  if (!row) throw new Error('A subscription was not written')
  return { id: row.id, checkId: row.check_id, groupId: row.group_id, activated: row.activated }
}

/** Adds checks to what subscribes to a channel. Resolves to how many there were. */
export const subscribeChecks = async (
  trx: Db,
  { accountId, channelId }: { accountId: string; channelId: number },
  which: Which,
): Promise<number> => {
  const checks = await holdChecksThat(trx, accountId, which)
  if (checks.length === 0) return 0
  const first = await nextNumbers(trx, 'channel-subscription', checks.length)
  const rows = checks.map(({ id: checkId }, position) => ({
    id: first + position,
    account_id: accountId,
    channel_id: channelId,
    subject: subjectText({ checkId }),
    check_id: checkId,
    group_id: null,
    activated: true,
  }))
  await runForRows(trx, subscriptionRows, rows)
  return checks.length
}

/** Replaces what subscribes to a channel. @throws ApiError 400 */
export const setSubscribers = async (
  trx: Db,
  { accountId, channelId }: { accountId: string; channelId: number },
  wanted: readonly NewSubscription[],
): Promise<void> => {
  const subjects = await requireSubjects(trx, accountId, wanted, (position) => `subscriptions.${position}.`)
  const retained = subjects.map(subjectText)
  await trx.run(deleteOthersOfChannel, { channelId, retained })
  for (const [position, subject] of subjects.entries())
    await subscribe(trx, accountId, { channelId, subject, activated: wanted[position]?.activated ?? true })
}

/** What each item names, held in place. @throws ApiError 400 */
export const requireSubjects = async (
  trx: Db,
  accountId: string,
  wanted: readonly NewSubscription[],
  prefix: (position: number) => string,
): Promise<Subject[]> => {
  const idsOf = <T>(pick: (item: NewSubscription) => T | null | undefined): T[] =>
    wanted.map(pick).filter((id): id is T => id !== null && id !== undefined)
  const checkIds = idsOf(({ checkId }) => checkId)
  const checks = new Set((await trx.all(holdChecks, { accountId, ids: checkIds })).map(({ id }) => id))
  const groupIds = idsOf(({ groupId }) => groupId)
  const groups = new Set((await holdGroups(trx, accountId, groupIds)).map(({ id }) => id))
  const violations: Violation[] = []
  const subjects = wanted.map(({ checkId = null, groupId = null }, position): Subject => {
    const at = prefix(position)
    if ((checkId === null) === (groupId === null))
      violations.push(violation(`${at}checkId`, 'one', 'or "groupId": exactly one of them is needed'))
    else if (checkId !== null && !checks.has(checkId))
      violations.push(violation(`${at}checkId`, 'exists', `names a check that does not exist: ${checkId}`))
    else if (groupId !== null && !groups.has(groupId))
      violations.push(
        violation(`${at}groupId`, 'exists', `names a check group that does not exist: ${groupId}`),
      )
    return checkId === null ? { groupId: groupId ?? 0 } : { checkId }
  })
  if (violations.length > 0) throw invalid(violations)
  return subjects
}

export type Alerting = { alertChannelSubscriptions: ChannelChoice[]; alertChannels: CheckAlertChannels }

/** Both fields of the answers about checks, for many checks with one query. */
export const alertingOfChecks = async (
  db: Db,
  { accountId, checkIds }: { accountId: string; checkIds: readonly string[] },
  viewer: Viewer,
): Promise<(checkId: string) => Alerting> => {
  const subjects = checkIds.map((checkId) => subjectText({ checkId }))
  const rows = Map.groupBy(
    await db.all(channelsOfSubjects, { accountId, subjects }),
    ({ subject }) => subject,
  )
  const configOf = shownConfigs(viewer)
  return (checkId) => toAlerting(rows.get(subjectText({ checkId })) ?? [], configOf)
}

type OneCheck = { accountId: string; checkId: string }

/** What a check subscribes to itself, by channel. */
export const channelsOfCheck = async (db: Db, { accountId, checkId }: OneCheck): Promise<ChannelRow[]> => {
  const rows = await db.all(channelsOfSubject, { accountId, subject: subjectText({ checkId }) })
  return rows.sort((a, b) => a.channel_id - b.channel_id)
}

/** The `alertChannelSubscriptions` of a check or group. */
export const subscriptionsOf = async (db: Db, subscriber: Subscriber): Promise<ChannelChoice[]> => {
  const subjects = [subjectText(subscriber)]
  return choicesOf(await db.all(channelsOfSubjects, { accountId: subscriber.accountId, subjects }))
}

export type ChannelRow = {
  channel_id: number
  activated: boolean
  type: string
  version: number
  sealed_config: string
}

type ConfigOf = (row: ChannelRow) => ChannelConfig

/** Many checks subscribe to one channel: it is opened once. */
export const shownConfigs = (viewer: Viewer): ConfigOf => {
  const known = new Map<number, ChannelConfig>()
  return (row) => {
    const config = known.get(row.channel_id) ?? shownConfig(viewer, { ...row, id: row.channel_id })
    known.set(row.channel_id, config)
    return config
  }
}

const choicesOf = (rows: readonly ChannelRow[]): ChannelChoice[] =>
  rows.map(({ channel_id: alertChannelId, activated }) => ({ alertChannelId, activated }))

export const toAlerting = (rows: readonly ChannelRow[], configOf: ConfigOf): Alerting => ({
  alertChannelSubscriptions: choicesOf(rows),
  alertChannels: toCheckAlertChannels(
    rows.filter(({ activated }) => activated).map((row) => ({ type: row.type, config: configOf(row) })),
  ),
})
