/**
 * What comes of a test, told as it comes to a client that listens before it starts the test: which checks run, what each attempt saw, and what could
 * not be run. All of it is read from the store, where another control plane may have written it; one that listens again is told it all again.
 */
import type { App } from '../../../platform/app/app.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { Feed } from '../../../platform/web/mqtt/mqtt-session.ts'
import { firstIdAt } from '../../../platform/words/uuid.ts'
import { ownDetail } from '../../results/own-detail.ts'
import type { CheckResult } from '../../results/schema.ts'
import { serializeResults } from '../../results/serialize-results.ts'
import { findSession } from '../check-sessions/queries.ts'
import { isFinal } from '../check-sessions/session-status.ts'
import { attemptsOf } from './final-result.ts'
import { progressOfTest, testOfSuite } from './queries.ts'
import { testDoc } from './test-doc.ts'

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const filterForm = new RegExp(
  `^account/(?<account>${uuid})/ad-hoc-check-results/(?<suite>${uuid})/\\+/\\+/\\+$`,
  'i',
)
const lookAgainMs = 500
/** Of who lost the connection and listens again. */
const lookBackMs = 3_600_000

export const testResultFeed: Feed<App & HasCipher> = (app, { filter, accountId }) => {
  const { account, suite: suiteId } = filterForm.exec(filter)?.groups ?? {}
  if (account === undefined || suiteId === undefined || account.toLowerCase() !== accountId) return null
  const prefix = filter.slice(0, -'+/+/+'.length)
  return async (send, signal) => {
    const suite = { accountId, suiteId: suiteId.toLowerCase(), since: app.clock.now() - lookBackMs }
    const say: Say = (sessionId, subtopic, message) =>
      send({ topic: `${prefix}${sessionId}/${sessionId}/${subtopic}`, payload: JSON.stringify(message) })
    const told: Told = new Map()
    let test: FoundTest | undefined
    while (!signal.aborted) {
      test ??= await findTest(app, suite)
      if (test !== undefined && (await tellNews(app, test, { say, told, signal })) === 'all') return
      await app.clock.sleep(lookAgainMs, signal)
    }
  }
}

type Say = (sessionId: string, subtopic: 'run-start' | 'result' | 'error', message: unknown) => void
/** What was said of each session. */
type Told = Map<string, { attempt: number; resultIds: Set<string>; isOver: boolean }>
type Suite = { accountId: string; suiteId: string; since: number }
type FoundTest = { id: string; accountId: string; sourceFiles: readonly string[] }

const findTest = async (
  { db }: App,
  { accountId, suiteId, since }: Suite,
): Promise<FoundTest | undefined> => {
  const pattern = `%"suiteId":"${suiteId}"%`
  const row = await db.get(testOfSuite, { accountId, from: firstIdAt(since), pattern })
  return row && { id: row.id, accountId, sourceFiles: testDoc.read(row.doc).sourceFiles ?? [] }
}

type Listener = { say: Say; told: Told; signal: AbortSignal }

const tellNews = async (
  app: App & HasCipher,
  test: FoundTest,
  { say, told, signal }: Listener,
): Promise<'all' | 'more'> => {
  const sessions = await app.db.all(progressOfTest, { testId: test.id })
  for (const [position, { id, status, agent_id: agentId, attempt }] of sessions.entries()) {
    const isOver = isFinal(status)
    const known = told.get(id)
    const hasBegun = isOver || agentId !== null || (attempt ?? 1) > 1
    if (signal.aborted || known?.isOver || (known === undefined && !hasBegun)) continue
    if (known === undefined) say(id, 'run-start', {})
    const now = { attempt: attempt ?? 0, resultIds: known?.resultIds ?? new Set<string>(), isOver }
    told.set(id, now)
    // What is read costs: an attempt has ended only where another one has begun, or the run is over.
    if (!isOver && now.attempt === (known?.attempt ?? 1)) continue
    await tellResults(app, { test, sessionId: id, position, status }, { say, resultIds: now.resultIds })
  }
  return sessions.length > 0 && sessions.every(({ status }) => isFinal(status)) ? 'all' : 'more'
}

type OneSession = { test: FoundTest; sessionId: string; position: number; status: string }

const tellResults = async (
  app: App & HasCipher,
  { test, sessionId, position, status }: OneSession,
  { say, resultIds }: { say: Say; resultIds: Set<string> },
): Promise<void> => {
  const session = await app.db.get(findSession, { id: sessionId, accountId: test.accountId })
  if (session === undefined) return
  const sourceFile = test.sourceFiles[position] || undefined
  const rows = await attemptsOf(app, session)
  const results = await serializeResults(
    app,
    rows.filter(({ id }) => !resultIds.has(id)),
  )
  for (const result of results) {
    resultIds.add(result.id)
    if (result.resultType === 'FINAL' && result.hasErrors && !result.isCancelled)
      say(sessionId, 'error', result.error ?? 'The check could not be run.')
    else say(sessionId, 'result', messageOf(result, { sessionId, sourceFile }))
  }
  if (!isFinal(status) || rows.some(({ result_type }) => result_type === 'FINAL')) return
  if (status === 'CANCELLED')
    say(sessionId, 'result', {
      result: { name: session.name, checkType: session.check_type, sourceFile, ...cancelled },
      testResultId: sessionId,
      resultType: 'FINAL',
    })
  else say(sessionId, 'error', 'No agent has run the check in time.')
}

const cancelled = { isCancelled: true, hasFailures: false, hasErrors: false, isDegraded: false, assets: null }

/** A result as clients print it: what it saw stands in it, and there are no files to ask for. */
const messageOf = (
  { id: _, checkId: __, error, ...result }: CheckResult,
  { sessionId, sourceFile }: { sessionId: string; sourceFile: string | undefined },
) => {
  const detail = ownDetail(result.checkType, result)
  const checkRunData = printable(detail)
  // Clients print the details of these, and of others the one sentence.
  const saysWhy = ['assertions', 'requestError'].some((name) => checkRunData && name in checkRunData)
  const runError = result.hasFailures && !saysWhy && error !== null ? { runError: error } : {}
  const { jobLog } = checkRunData ?? {}
  const logs = Array.isArray(jobLog) ? { logs: jobLog } : {}
  return {
    result: { ...result, ...runError, ...logs, sourceFile, checkRunData, assets: null },
    testResultId: sessionId,
    resultType: result.resultType,
  }
}

type Values = Record<string, unknown>

const printable = (detail: unknown): Values | null => {
  if (typeof detail !== 'object' || detail === null) return null
  const { request, response, ...others } = detail as { request?: Values | null; response?: Values | null }
  return {
    ...others,
    ...(request ? { request: { ...request, data: request['data'] ?? request['body'] ?? '' } } : {}),
    ...(response ? { response: { ...response, body: response['body'] ?? '' } } : {}),
  }
}
