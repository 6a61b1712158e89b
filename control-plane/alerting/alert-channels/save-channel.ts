/** Writing alert channels: the rules that no schema can say, and the subscriptions, in one transaction. */
import type { Violation } from '../../../protocol/validate.ts'
import type { App } from '../../platform/app.ts'
import { nextNumber } from '../../platform/database/counters.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AlertChannelsTable } from '../../platform/database/tables/alert-channels.ts'
import { requireVersion } from '../../platform/http/entity-tag.ts'
import { invalid, notFound } from '../../platform/http/errors.ts'
import type { ChannelConfig, ChannelTypeName } from '../channels/channel-type.ts'
import { unmaskConfig } from '../channels/secrets.ts'
import { variablesInClear } from '../engine/channel-variables.ts'
import { contentColumns, flagsOf, openConfig } from './channel-row.ts'
import { deleteChannel, insertChannel, lockChannel, updateChannel } from './queries.ts'
import type { Flags, NewSubscription, Subscription } from './schema.ts'
import { deleteOthersOfChannel } from './subscription-queries.ts'
import { requireSubjects, setSubscribers, subscribe } from './subscriptions.ts'
import { templateViolations } from './template-violations.ts'

type ChannelKey = { id: number; accountId: string }
type ChannelBody<F> = {
  type: ChannelTypeName
  config: ChannelConfig
  flags: F
  subscriptions?: NewSubscription[]
}

/** @throws ApiError 400 */
export const createChannel = (
  app: App,
  accountId: string,
  { type, config: sent, flags, subscriptions = [] }: ChannelBody<Flags>,
): Promise<AlertChannelsTable> => {
  const { config, violations } = unmaskConfig(type, sent, null)
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    await requireValid(app, trx, { accountId, type, config, violations, now })
    const id = await nextNumber(trx, 'alert-channel')
    const content = contentColumns(app.cipher, id, { type, config, flags })
    const row = { id, account_id: accountId, ...content, created_at: now, updated_at: null, version: 1 }
    await trx.run(insertChannel, row)
    await setSubscribers(trx, { accountId, channelId: id }, subscriptions)
    return row
  })
}

type Candidate = {
  accountId: string
  type: ChannelTypeName
  config: ChannelConfig
  violations: Violation[]
  now: number
}

/** Also says which templates cannot be filled in. @throws ApiError 400 */
const requireValid = async (
  { cipher, randomBytes }: App,
  trx: Db,
  { accountId, type, config, violations: found, now }: Candidate,
): Promise<void> => {
  const isTemplated = JSON.stringify(config).includes('{{')
  const known = isTemplated ? await variablesInClear(trx, cipher, accountId) : []
  const variables = new Map(known.map(({ key, value }) => [key, value]))
  const templates = isTemplated
    ? templateViolations({ type, config }, { accountId, variables, now, randomBytes })
    : []
  const violations = [...found, ...templates]
  if (violations.length > 0) throw invalid(violations)
}

type Changes = ChannelBody<Partial<Flags>> & { ifMatch: string | undefined }

/** `type` and `config` are replaced, the rest changes where it is sent. @throws ApiError 400, 404, 412 */
export const changeChannel = (
  app: App,
  { id, accountId }: ChannelKey,
  { type, config: sent, flags, subscriptions, ifMatch }: Changes,
): Promise<AlertChannelsTable> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    const before = await trx.get(lockChannel, { id, accountId })
    if (!before) throw notFound()
    requireVersion(ifMatch, before.version)
    const stored = { type: before.type as ChannelTypeName, config: openConfig(app.cipher, before) }
    const { config, violations } = unmaskConfig(type, sent, stored)
    await requireValid(app, trx, { accountId, type, config, violations, now })
    const content = contentColumns(app.cipher, id, { type, config, flags: { ...flagsOf(before), ...flags } })
    const row = { ...before, ...content, updated_at: now, version: before.version + 1 }
    await trx.run(updateChannel, row)
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

/** With its subscriptions; the log of its notifications stays. @throws ApiError 404 */
export const removeChannel = (app: App, one: ChannelKey): Promise<void> =>
  app.db.transaction(async (trx) => {
    if ((await trx.run(deleteChannel, one)) === 0) throw notFound()
    await trx.run(deleteOthersOfChannel, { channelId: one.id, kept: [] })
  })
