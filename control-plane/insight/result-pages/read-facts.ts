/** What a result's page is made from: plain data, read once, so that the page itself is a pure function. */

import type { Failure, LogLine } from '../../../protocol/result.ts'
import type { HasProviders } from '../../alerting/channels/providers.ts'
import { newestFailureAlert } from '../../alerting/check-alerts/queries.ts'
import { alertLink } from '../../alerting/messages/alert-link.ts'
import { type LinkedResult, resultLink } from '../../alerting/messages/result-link.ts'
import { artifactsOfResult } from '../../monitoring/artifacts/queries.ts'
import { checkDoc } from '../../monitoring/definitions/checks/check-doc.ts'
import { findCheck } from '../../monitoring/definitions/checks/queries.ts'
import { testedChecksById } from '../../monitoring/definitions/tested-checks/queries.ts'
import { findResult } from '../../monitoring/results/queries.ts'
import { resultDoc } from '../../monitoring/results/result-doc.ts'
import type { CheckResult } from '../../monitoring/results/schema.ts'
import { serializeResult } from '../../monitoring/results/serialize-result.ts'
import type { ResultWithDoc } from '../../monitoring/results/stored/result.ts'
import { isOpenAlert } from '../../monitoring/watches/alert-states/respond-to-alert.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { ArtifactsTable } from '../../platform/store/database/tables/artifacts.ts'
import type { CertificateLooksTable } from '../../platform/store/database/tables/incident-automation.ts'
import type { AccountPrincipal } from '../../platform/web/http/route.ts'
import { type Explained, explainInWords } from '../alert-explanations/explain.ts'
import type { CheckColumns } from '../root-cause-analyses/gather-facts.ts'
import { canShowTraces, type HasTraceViewer } from '../trace-viewer/viewer-files.ts'
import { type Cause, causeOf } from './cause.ts'
import { isTrace } from './file-kind.ts'
import { attemptsOfRun, lookOfCheck, newestFinal } from './queries.ts'

/** A result beside the shape of the API: what alone the page shows. */
type ResultPageFacts = {
  result: CheckResult
  startedAt: number
  failure: Failure | null
  log: LogLine[]
  /** Of heartbeats: what came, and from where. */
  ping: { state: string; source: string | null; userAgent: string | null } | null
}

export type Attempt = ResultPageFacts & { url: string; isShown: boolean }

export type ResultFacts = ResultPageFacts & {
  now: number
  expiresAt: number
  /** The link names no result: this is the newest one. */
  isNewest: boolean
  check: {
    name: string
    description: string | null
    tags: string[]
    degradedResponseTime: number | null
    maxResponseTime: number | null
  }
  attempts: Attempt[]
  cause: Cause | null
  alerting: Explained | null
  files: ArtifactsTable[]
  /** Where the page's own files are: their places follow. */
  pageUrl: string
  canShowTraces: boolean
  look: Pick<CertificateLooksTable, 'domain' | 'looked_at' | 'expires_at' | 'error'> | null
  /** Somebody of the account who is signed in: where the check is, and where its open alert is answered. */
  reader: { checkUrl: string; answerUrl: string | null } | null
  /** Of the result in the API, for whoever has a key. */
  apiUrl: string
}

/** Longer than all attempts of a run with the waits between them take (definitions/checks/retry-strategy.ts). */
const aroundMs = 2 * 3_600_000

/** Undefined when the check or the result is gone. */
export const readFacts = async (
  app: App & HasCipher & HasProviders & HasTraceViewer,
  linked: LinkedResult,
  session: AccountPrincipal | null = null,
): Promise<ResultFacts | undefined> => {
  const { checkId, resultId, expiresAt } = linked
  const row = await (resultId === null
    ? newestFinal(app.db, checkId)
    : findResult(app.db, { id: resultId, checkId }))
  if (!row) return undefined
  const accountId = row.account_id
  const check = (await app.db.get(findCheck, { id: checkId, accountId })) ?? (await copyOf(app.db, checkId))
  if (!check) return undefined
  const shown = shownOf(row)
  const [from, to] = [row.started_at - aroundMs, row.started_at + aroundMs]
  const attempts = await attemptsOfRun(app.db, { checkId, sequenceId: row.sequence_id, from, to })
  const files = await app.db.all(artifactsOfResult, { resultId: row.id })
  return {
    ...shown,
    now: app.clock.now(),
    expiresAt,
    isNewest: resultId === null,
    check: settingsOf(check.doc),
    attempts: attempts.map((each) => ({
      ...shownOf(each),
      isShown: each.id === row.id,
      url: resultLink(app, { checkId, resultId: each.id, expiresAt }),
    })),
    cause: await causeOf(app, row, { check, errorGroupIds: shown.result.errorGroupIds }),
    alerting: (await explainInWords(app, { accountId, checkId })) ?? null,
    files,
    pageUrl: resultLink(app, { checkId, resultId: row.id, expiresAt }),
    canShowTraces: files.some(isTrace) && canShowTraces(app),
    look: (await app.db.get(lookOfCheck, { checkId })) ?? null,
    reader: session?.accountId === accountId ? await readerOf(app, session, checkId) : null,
    apiUrl: `${app.config.baseUrl}/v1/check-results/${checkId}/${row.id}`,
  }
}

/** What a test ran: it is shown as a check is, and is no longer changed. */
const copyOf = async (db: Db, id: string): Promise<(CheckColumns & { name: string }) | undefined> => {
  const [copy] = await db.all(testedChecksById, { ids: [id] })
  return copy && { ...copy, updated_at: null }
}

/** As long as somebody looks at a page. */
const answerMs = 3_600_000

const readerOf = async (
  app: App & HasCipher,
  { accountId, role }: AccountPrincipal,
  checkId: string,
): Promise<NonNullable<ResultFacts['reader']>> => {
  const checkUrl = `${app.config.baseUrl}/app/checks/${checkId}`
  const alert =
    role === 'READ_ONLY' ? undefined : await app.db.get(newestFailureAlert, { checkId, accountId })
  if (alert === undefined || !(await isOpenAlert(app.db, { accountId, checkId, alertId: alert.id })))
    return { checkUrl, answerUrl: null }
  const expiresAt = app.clock.now() + answerMs
  return { checkUrl, answerUrl: alertLink(app, { alertId: alert.id, channelId: 0, expiresAt }) }
}

const shownOf = (row: ResultWithDoc): ResultPageFacts => {
  const { failure = null, log, state, source, userAgent } = resultDoc.read(row.doc)
  return {
    result: serializeResult(row),
    startedAt: row.started_at,
    failure,
    log,
    ping: state === undefined ? null : { state, source: source ?? null, userAgent: userAgent ?? null },
  }
}

const settingsOf = (doc: string): ResultFacts['check'] => {
  const { name, description, tags, degradedResponseTime, maxResponseTime } = checkDoc.read(doc)
  return {
    name,
    description,
    tags,
    degradedResponseTime: degradedResponseTime ?? null,
    maxResponseTime: maxResponseTime ?? null,
  }
}
