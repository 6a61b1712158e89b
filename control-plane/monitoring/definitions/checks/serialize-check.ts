import type { CheckType } from '../../../../protocol/check-type.ts'
import {
  type Alerting,
  alertingOfChecks,
  type ChannelRow,
  channelsOfCheck,
  shownConfigs,
  subjectText,
  toAlerting,
} from '../../../alerting/alert-channels/subscriptions.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { ChecksTable } from '../../../platform/store/database/tables/runs.ts'
import type { AccountPrincipal } from '../../../platform/web/http/route.ts'
import { toIso, toIsoOrNull } from '../../../platform/words/shapes/instants.ts'
import { effectiveSettings } from '../check-groups/effective-settings.ts'
import { groupsById } from '../check-groups/queries.ts'
import { type GroupDoc, groupDoc } from '../check-groups/schema.ts'
import { livingDependencies } from '../dependencies/living-dependencies.ts'
import { type CheckDoc, checkDoc, checkFiles } from './check-doc.ts'
import { findFiles } from './queries.ts'
import type { Check } from './schema.ts'
import { checkContext, groupContext, shownSettings } from './sealed-settings.ts'
import { checkKinds } from './types/index.ts'

type StoredCheck = Pick<ChecksTable, 'id' | 'type' | 'created_at' | 'updated_at' | 'doc'>

type View = {
  principal: AccountPrincipal
  /** With the settings of their groups, as they run. */
  applyGroupSettings?: boolean
}

/** Stored checks as the API shows them to somebody: with one query more, two with their groups, however many there are. */
export const serializeChecks = async (
  app: App & HasCipher,
  rows: readonly StoredCheck[],
  view: View,
): Promise<Check[]> => {
  const checkIds = rows.map(({ id }) => id)
  const { accountId, role, seesSecrets } = view.principal
  const viewer = { cipher: app.cipher, role, seesSecrets }
  const alerting = await alertingOfChecks(app.db, { accountId, checkIds }, viewer)
  return present(app, rows, { ...view, alerting })
}

export type OneView = View & {
  /** With the files of its script. */
  includeFiles?: boolean
  /** What it subscribes to; read here if it is not known yet. */
  channels?: ChannelRow[]
}

export const serializeCheck = async (
  app: App & HasCipher,
  row: StoredCheck,
  view: OneView,
): Promise<Check> => {
  const { accountId, role, seesSecrets } = view.principal
  const channels = view.channels ?? (await channelsOfCheck(app.db, { accountId, checkId: row.id }))
  const alerting = toAlerting(channels, shownConfigs({ cipher: app.cipher, role, seesSecrets }))
  const [check] = await present(app, [row], { ...view, alerting: () => alerting })
  if (check === undefined) throw new Error('A check was not presented')
  return withFiles(app, check, view)
}

const withFiles = async (app: App, check: Check, { includeFiles = false }: OneView): Promise<Check> => {
  const { filesField } = checkKinds[check.checkType]
  if (!includeFiles || filesField === undefined) return check
  const files = await app.db.get(findFiles, { checkId: check.id })
  return { ...check, [filesField]: files ? checkFiles.read(files.doc) : [] }
}

type ViewWithAlerting = View & { alerting: (checkId: string) => Alerting }

const present = async (
  app: App & HasCipher,
  rows: readonly StoredCheck[],
  { principal, applyGroupSettings = false, alerting }: ViewWithAlerting,
): Promise<Check[]> => {
  const docs = rows.map(({ id, doc }) => {
    const seal = { cipher: app.cipher, context: checkContext(id) }
    return shownSettings(checkDoc.read(doc), seal, principal)
  })
  const groups = applyGroupSettings ? await shownGroups(app, docs, principal) : noGroups
  const dependent = (id: string, { dependsOn }: CheckDoc) => ({
    text: subjectText({ checkId: id }),
    dependsOn,
  })
  const living = await livingDependencies(
    app.db,
    rows.map(({ id }, position) => dependent(id, docs[position] as CheckDoc)),
  )
  return rows.map((row, position) => {
    const own = docs[position] as CheckDoc
    const kind = checkKinds[row.type as CheckType]
    const doc = effectiveSettings(own, groups.get(own.groupId ?? 0) ?? null, kind)
    return {
      ...(kind.show ? kind.show(doc, app.config.baseUrl) : doc),
      ...alerting(row.id),
      dependsOn: living(dependent(row.id, own)),
      id: row.id,
      checkType: kind.type,
      created_at: toIso(row.created_at),
      updated_at: toIsoOrNull(row.updated_at),
    }
  })
}

const noGroups: ReadonlyMap<number, GroupDoc> = new Map()

/** The groups of these checks by id, without what the caller may not see. */
const shownGroups = async (
  app: App & HasCipher,
  docs: readonly CheckDoc[],
  principal: AccountPrincipal,
): Promise<Map<number, GroupDoc>> => {
  const ids = [...new Set(docs.map(({ groupId }) => groupId))].filter((id) => id !== null)
  const rows = await groupsById(app.db, [principal.accountId], ids)
  return new Map(
    rows.map(({ id, doc }) => {
      const seal = { cipher: app.cipher, context: groupContext(id) }
      return [id, shownSettings(groupDoc.read(doc), seal, principal)]
    }),
  )
}
