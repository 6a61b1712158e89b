import { linkOfEvent } from '../../../alerting/messages/result-link.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type {
  CheckSessionsTable,
  TestSessionsTable,
} from '../../../platform/store/database/tables/check-sessions.ts'
import { toIso, toIsoOrNull } from '../../../platform/words/shapes/instants.ts'
import { runLocations } from '../../schedule/schedule-queries.ts'
import { sessionsOfTest } from '../check-sessions/advance-test.ts'
import { isFinal, testStatus } from '../check-sessions/session-status.ts'
import { copiesOfTests, runsOfTest, sessionsOfTests } from './queries.ts'
import type { TestSession, TestSessionItem, TestSessionResult } from './schema.ts'
import { testDoc } from './test-doc.ts'

export const testLink = ({ config }: Pick<App, 'config'>, id: string): string =>
  `${config.baseUrl}/app/test-sessions/${id}`

/** With one result for each check. */
export const serializeTest = async (app: App & HasCipher, test: TestSessionsTable): Promise<TestSession> => {
  const sessions = await app.db.all(sessionsOfTest, { testId: test.id })
  const runs = await app.db.all(runsOfTest, { testId: test.id })
  const states = new Map(runs.map((run) => [run.session_id, run]))
  const copies = await app.db.all(copiesOfTests, { ids: [test.id] })
  const groups = new Map(copies.map(({ id, error_group_id }) => [id, error_group_id]))
  const results = sessions.map((session) =>
    resultOf(app, session, { run: states.get(session.id), errorGroupId: groups.get(session.id) ?? null }),
  )
  return {
    testSessionId: test.id,
    testSessionLink: testLink(app, test.id),
    name: test.name,
    status: test.status as TestSession['status'],
    provider: test.provider as TestSession['provider'],
    startedAt: toIso(test.created_at),
    stoppedAt: toIsoOrNull(test.stopped_at),
    timeElapsed: (test.stopped_at ?? app.clock.now()) - test.created_at,
    metadata: testDoc.read(test.doc).metadata,
    errorGroupIds: [...new Set(results.flatMap(({ errorGroupIds }) => errorGroupIds))],
    results,
  }
}

type Known = { run: { id: string; state: string } | undefined; errorGroupId: string | null }

const resultOf = (
  app: App & HasCipher,
  session: CheckSessionsTable,
  { run, errorGroupId }: Known,
): TestSessionResult => {
  const isOver = isFinal(session.status)
  const state = run?.state
  const couldNotRun = isOver && (state === 'missed' || state === 'errored')
  return {
    testSessionResultId: session.id,
    testSessionResultLink:
      run === undefined || !isOver
        ? testLink(app, session.trigger_id)
        : linkOfEvent(app, { checkId: session.id, checkResultId: run.id, at: session.created_at }),
    checkId: session.check_id,
    checkType: session.check_type as TestSessionResult['checkType'],
    name: session.name,
    runLocation: runLocations.read(session.locations)[0]?.name ?? '',
    sequenceId: session.id,
    resultType: isOver && state !== 'missed' ? 'FINAL' : null,
    status: testStatus([session.status]),
    hasErrors: couldNotRun,
    hasFailures: isOver && state === 'failed',
    isDegraded: isOver && state === 'degraded',
    aborted: couldNotRun,
    isCancelled: session.status === 'CANCELLED',
    errorGroupIds: errorGroupId === null ? [] : [errorGroupId],
    startedAt: state === undefined ? null : toIso(session.started_at),
    stoppedAt: toIsoOrNull(session.stopped_at),
  }
}

/** A page of the list. */
export const serializeTests = async (
  app: App,
  tests: readonly TestSessionsTable[],
): Promise<TestSessionItem[]> => {
  const sessions = await app.db.all(sessionsOfTests, { ids: tests.map(({ id }) => id) })
  const byTest = Map.groupBy(sessions, ({ trigger_id }) => trigger_id)
  return tests.map((test) => itemOf(test, byTest.get(test.id) ?? []))
}

const itemOf = (
  test: TestSessionsTable,
  sessions: readonly Pick<CheckSessionsTable, 'name' | 'status'>[],
): TestSessionItem => {
  const { location, metadata } = testDoc.read(test.doc)
  const named = (status: string) =>
    sessions.filter((session) => testStatus([session.status]) === status).map(({ name }) => name)
  return {
    id: test.id,
    accountId: test.account_id,
    projectId: test.project,
    name: test.name,
    provider: test.provider as TestSessionItem['provider'],
    status: test.status as TestSessionItem['status'],
    running: named('RUNNING'),
    passed: named('PASSED'),
    failed: named('FAILED'),
    cancelled: named('CANCELLED'),
    region: location,
    privateLocationId: null,
    invoker: null,
    environment: test.environment,
    repoUrl: metadata.repoUrl ?? null,
    commitId: metadata.commitId ?? null,
    commitOwner: metadata.commitOwner ?? null,
    commitMessage: metadata.commitMessage ?? null,
    branchName: metadata.branchName ?? null,
    startedAt: toIso(test.created_at),
    stoppedAt: toIsoOrNull(test.stopped_at),
    created_at: toIso(test.created_at),
    updated_at: toIsoOrNull(test.stopped_at),
  }
}
