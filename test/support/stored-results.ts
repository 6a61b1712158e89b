/** Checks and results put straight into the store: what analytics and analyses read, without running anything. */

import { saveServiceLink } from '../../control-plane/communication/status-page-services/link-queries.ts'
import { joinErrorGroups } from '../../control-plane/insight/error-groups/join-error-groups.ts'
import { insertCheck } from '../../control-plane/monitoring/definitions/checks/queries.ts'
import { errorGroupIdOf } from '../../control-plane/monitoring/runs/error-group-id.ts'
import { insertResults } from '../../control-plane/monitoring/runs/result-queries.ts'
import type { WholeApp } from '../../control-plane/whole-app.ts'

type Where = { app: WholeApp; accountId: string }

export const storeCheck = async (
  { app, accountId }: Where,
  { type = 'URL', name = 'site', activated = true, doc = {} as object } = {},
): Promise<string> => {
  const id = app.newId()
  const full = {
    name,
    frequency: 10,
    tags: [],
    muted: false,
    request: { url: 'https://shop.example/' },
    ...doc,
  }
  await app.db.run(insertCheck, {
    id,
    account_id: accountId,
    type,
    name,
    activated,
    group_id: null,
    created_at: app.clock.now(),
    doc: JSON.stringify(full),
  })
  await linkStored({ app, accountId }, id, full)
  return id
}

/** A check that belongs to a service says so twice: in its settings, and in a row that pages read. It has ever belonged to it. */
const linkStored = async ({ app, accountId }: Where, checkId: string, doc: object): Promise<void> => {
  const { triggerIncident } = doc as { triggerIncident?: { serviceId: string } | null }
  if (!triggerIncident) return
  const now = app.clock.now()
  await app.db.run(saveServiceLink, {
    ...{ check_id: checkId, service_id: triggerIncident.serviceId, account_id: accountId, active: true },
    ...{ linked_at: 0, changed_at: now },
  })
}

export type StoredResult = {
  checkId: string
  at: number
  checkType?: string
  location?: string
  responseTime?: number
  hasFailures?: boolean
  hasErrors?: boolean
  isDegraded?: boolean
  isCancelled?: boolean
  overMax?: boolean
  attempts?: number
  resultType?: 'FINAL' | 'ATTEMPT'
  doc?: object
}

/** As the statement that stores it takes it. */
export const newStoredResult = ({ app, accountId }: Where, result: StoredResult) => {
  const id = app.newId()
  return {
    id,
    accountId,
    checkId: result.checkId,
    checkType: result.checkType ?? 'URL',
    resultType: result.resultType ?? 'FINAL',
    location: result.location ?? 'local',
    dueAt: result.at,
    startedAt: result.at,
    stoppedAt: result.at + 10,
    now: result.at + 20,
    responseTime: result.responseTime ?? 10,
    hasFailures: result.hasFailures ?? false,
    hasErrors: result.hasErrors ?? false,
    isDegraded: result.isDegraded ?? false,
    isCancelled: result.isCancelled ?? false,
    overMax: result.overMax ?? false,
    attempts: result.attempts ?? 0,
    sequenceId: id,
    checkRunId: result.at,
    doc: JSON.stringify({ name: 'site', log: [], failure: null, metrics: {}, ...result.doc }),
  }
}

export const storeResult = async (where: Where, result: StoredResult): Promise<string> => {
  const row = newStoredResult(where, result)
  await where.app.db.transaction((trx) => insertResults(trx, [row]))
  return row.id
}

type Failure = {
  checkId: string
  at: number
  message: string
  code?: string
  location?: string
  doc?: object
}

/** A failing FINAL result that joins its error group; the group's id. */
export const storeFailure = async (where: Where, failure: Failure): Promise<string> => {
  const { checkId, at, message, code = 'ECONNREFUSED' } = failure
  const groupId = errorGroupIdOf(checkId, message)
  const run = { checkId, originId: checkId, sessionId: '', isTest: false, checkType: 'URL', startedAt: at }
  const failed = { accountId: where.accountId, error: message, ...run }
  await where.app.db.transaction((trx) => joinErrorGroups(trx, [failed], { now: at + 20 }))
  await storeResult(where, {
    checkId,
    at,
    hasFailures: true,
    ...(failure.location === undefined ? {} : { location: failure.location }),
    doc: { failure: { code, message, network: true }, errorGroupIds: [groupId], ...failure.doc },
  })
  return groupId
}
