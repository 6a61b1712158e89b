/** Writing alert channels: tried first (require-fillable.ts), then written with their subscriptions in one transaction. */

import type { Violation } from '../../../protocol/validate.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import { nextNumber } from '../../platform/store/database/counters.ts'
import type { AlertChannelsTable } from '../../platform/store/database/tables/alert-channels.ts'
import { requireVersion } from '../../platform/web/http/request/entity-tag.ts'
import { ApiError, notFound, violation } from '../../platform/words/errors.ts'
import type { ChannelConfig, ChannelTypeName } from '../channels/channel-type.ts'
import { unmaskConfig } from '../channels/secrets.ts'
import { faultOfHours, opensAt } from './channel-hours.ts'
import { contentColumns, flagsOf, openConfig } from './channel-row.ts'
import { requireFallback, requireNoFallbackTo } from './fallbacks.ts'
import {
  deleteChannel,
  findChannel,
  insertChannel,
  lockChannel,
  rescheduleHeld,
  updateChannel,
} from './queries.ts'
import { requireFillable } from './require-fillable.ts'
import type { Flags, NewSubscription, Subscription } from './schema.ts'
import { deleteOthersOfChannel, type Which } from './subscription-queries.ts'
import { requireSubjects, setSubscribers, subscribe, subscribeChecks } from './subscriptions.ts'

type ChannelKey = { id: number; accountId: string }
type ChannelBody<F> = {
  type: ChannelTypeName
  config: ChannelConfig
  flags: F
  subscriptions?: NewSubscription[]
}
type NewChannel = ChannelBody<Flags> & { subscribeExistingChecks: boolean }

/** @throws ApiError 400, 429 */
export const createChannel = async (
  app: App & HasCipher & HasRandomBytes,
  accountId: string,
  { type, config: sent, flags, subscriptions = [], subscribeExistingChecks }: NewChannel,
): Promise<AlertChannelsTable> => {
  const { config, violations } = unmaskConfig(type, sent, null)
  violations.push(...violationsOfHours(flags))
  await requireFillable(app, { accountId, type, config, violations })
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    await requireFallback(trx, { accountId, id: null, fallbackChannelId: flags.fallbackChannelId ?? null })
    const id = await nextNumber(trx, 'alert-channel')
    const content = contentColumns(app.cipher, id, { type, config, flags })
    const row = { id, account_id: accountId, ...content, created_at: now, updated_at: null, version: 1 }
    await trx.run(insertChannel, row)
    await setSubscribers(trx, { accountId, channelId: id }, subscriptions)
    if (subscribeExistingChecks) await subscribeChecks(trx, { accountId, channelId: id }, { all: true })
    return row
  })
}

const violationsOfHours = ({ hours }: Partial<Flags>): Violation[] => {
  const fault = hours ? faultOfHours(hours) : null
  return fault === null ? [] : [violation(fault.field, 'hours', fault.message)]
}

type Changes = ChannelBody<Partial<Flags>> & { ifMatch: string | undefined }

/** `type` and `config` are replaced, the rest changes where it is sent. @throws ApiError 400, 404, 412, 429 */
export const changeChannel = async (
  app: App & HasCipher & HasRandomBytes,
  key: ChannelKey,
  changes: Changes,
): Promise<AlertChannelsTable> => {
  for (let round = 1; ; round++) {
    const tried = await tryChanges(app, key, changes)
    const changed = await writeChanges(app, key, { ...changes, tried })
    if (changed !== 'changed-meanwhile') return changed
    if (round === maxRounds) throw new ApiError(412, 'The channel is being changed by others: try again')
  }
}

/** Others may write between the trial and the change, but hardly so often. */
const maxRounds = 5

type TriedConfig = { config: ChannelConfig; version: number }

/** The config that the changes make of what is stored now. */
const tryChanges = async (
  app: App & HasCipher & HasRandomBytes,
  { id, accountId }: ChannelKey,
  { type, config: sent, flags, ifMatch }: Changes,
): Promise<TriedConfig> => {
  const before = await app.db.get(findChannel, { id, accountId })
  if (!before) throw notFound()
  requireVersion(ifMatch, before.version)
  const stored = { type: before.type as ChannelTypeName, config: openConfig(app.cipher, before) }
  const { config, violations } = unmaskConfig(type, sent, stored)
  violations.push(...violationsOfHours(flags))
  await requireFillable(app, { accountId, type, config, violations })
  return { config, version: before.version }
}

const writeChanges = (
  app: App & HasCipher,
  { id, accountId }: ChannelKey,
  { type, flags, subscriptions, ifMatch, tried }: Changes & { tried: TriedConfig },
): Promise<AlertChannelsTable | 'changed-meanwhile'> => {
  const now = app.clock.now()
  const { config, version } = tried
  return app.db.transaction(async (trx) => {
    await requireFallback(trx, { accountId, id, fallbackChannelId: flags.fallbackChannelId ?? null })
    const before = await trx.get(lockChannel, { id, accountId })
    if (!before) throw notFound()
    requireVersion(ifMatch, before.version)
    // Its masks stood for secrets that may be others by now.
    if (before.version !== version) return 'changed-meanwhile'
    const content = contentColumns(app.cipher, id, { type, config, flags: { ...flagsOf(before), ...flags } })
    const row = { ...before, ...content, updated_at: now, version: version + 1 }
    await trx.run(updateChannel, row)
    if (flags.hours !== undefined)
      await trx.run(rescheduleHeld, { channelId: id, dueAt: flags.hours ? opensAt(flags.hours, now) : now })
    if (subscriptions) await setSubscribers(trx, { accountId, channelId: id }, subscriptions)
    return row
  })
}

/** Adds or changes one subscription. @throws ApiError 400, 404 */
export const changeSubscription = (
  app: App,
  { id, accountId }: ChannelKey,
  wanted: NewSubscription,
): Promise<Subscription> =>
  app.db.transaction(async (trx) => {
    if (!(await trx.get(lockChannel, { id, accountId }))) throw notFound()
    const [subject] = await requireSubjects(trx, accountId, [wanted], () => '')
    if (!subject) throw new Error('A subscription without a subject')
    return subscribe(trx, accountId, { channelId: id, subject, activated: wanted.activated })
  })

/** Adds such checks to those that subscribe. Resolves to how many there were. @throws ApiError 404 */
export const subscribeMany = (app: App, { id, accountId }: ChannelKey, which: Which): Promise<number> =>
  app.db.transaction(async (trx) => {
    if (!(await trx.get(lockChannel, { id, accountId }))) throw notFound()
    return subscribeChecks(trx, { accountId, channelId: id }, which)
  })

/** With its subscriptions; the log of its notifications stays. @throws ApiError 404, 409 */
export const removeChannel = (app: App, one: ChannelKey): Promise<void> =>
  app.db.transaction(async (trx) => {
    await requireNoFallbackTo(trx, one)
    if ((await trx.run(deleteChannel, one)) === 0) throw notFound()
    await trx.run(deleteOthersOfChannel, { channelId: one.id, retained: [] })
  })
