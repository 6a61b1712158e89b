/**
 * A test: checks are copied as they are, and each copy is run once by a session of its own. Its results belong to the copy, so that no status, alert or
 * statistic of the check sees them. Of the checks of a group `concurrency` run at once, as in other sessions.
 */
import type { TestSource } from '../../../../protocol/job.ts'
import { type ClearVariable, sealSessionVariables } from '../../../access/variables/sealed-value.ts'
import type { App } from '../../../platform/app/app.ts'
import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type {
  CheckSessionsTable,
  TestSessionsTable,
} from '../../../platform/store/database/tables/check-sessions.ts'
import { ApiError, invalid, violation } from '../../../platform/words/errors.ts'
import { effectiveSettings } from '../../definitions/check-groups/effective-settings.ts'
import { runtimeOf } from '../../definitions/checks/apply-to-schedule.ts'
import { checkDoc, checkFiles } from '../../definitions/checks/check-doc.ts'
import { numberChecks } from '../../definitions/checks/check-numbers.ts'
import { runLocations as locationsOf } from '../../definitions/checks/check-references.ts'
import { upsertFiles } from '../../definitions/checks/queries.ts'
import { checkContext, sealSettings } from '../../definitions/checks/sealed-settings.ts'
import { kindOf } from '../../definitions/checks/types/index.ts'
import { chooseBundle } from '../../definitions/code-bundles/bundle-of-check.ts'
import { insertTestedCheck } from '../../definitions/tested-checks/queries.ts'
import type { RunLocation } from '../../schedule/plan-slots.ts'
import { runLocations } from '../../schedule/schedule-queries.ts'
import { letGo } from '../check-sessions/advance-session.ts'
import { insertSession } from '../check-sessions/queries.ts'
import { defaultConcurrency, firstOfEachGroup } from '../check-sessions/trigger-sessions.ts'
import type { ChosenCheck } from './chosen-checks.ts'
import { insertTest, runningTests } from './queries.ts'
import { type TestMetadata, testDoc } from './test-doc.ts'

type NewTest = {
  accountId: string
  name: string
  provider: string
  runSource: TestSource
  metadata: TestMetadata
  project: string | null
  suiteId?: string | undefined
  sourceFiles?: string[]
  /** Null: each check's own. */
  location: RunLocation | null
  variables: readonly ClearVariable[]
  retryStrategy: object | null
  refreshCache: boolean
  checks: readonly ChosenCheck[]
}

export type StartedTest = { test: TestSessionsTable; sessions: CheckSessionsTable[] }

/** What a test may run, and how many may run at once in an account. */
const maxChecks = 400
const maxRunning = 100

/** @throws ApiError 400, 404, 429 */
export const startTest = async (app: App & HasCipher & HasWakeups, wanted: NewTest): Promise<StartedTest> => {
  if (wanted.checks.length === 0) throw new ApiError(404, 'No matching checks were found.')
  if (wanted.checks.length > maxChecks)
    throw invalid([
      violation(
        'target',
        'maxItems',
        `means ${wanted.checks.length} checks: a test runs ${maxChecks} at most`,
      ),
    ])
  const stamp = { now: app.clock.now(), newId: app.newId }
  const { started, wake } = await app.db.transaction(async (trx) => {
    const running = await trx.all(runningTests, { accountId: wanted.accountId, limit: maxRunning })
    if (running.length >= maxRunning)
      throw new ApiError(429, `${maxRunning} tests of the account are running already`, {
        headers: { 'retry-after': '30' },
      })
    const started = await store(app, trx, wanted, stamp)
    return { started, wake: await letFirstGo(trx, wanted, started.sessions, stamp) }
  })
  for (const location of new Set(wake)) app.wakeups.wake(location)
  return started
}

const store = async (app: HasCipher, trx: Db, wanted: NewTest, stamp: Stamp): Promise<StartedTest> => {
  const { accountId, name, provider, metadata, project, suiteId, sourceFiles, location } = wanted
  const test: TestSessionsTable = {
    id: stamp.newId(),
    account_id: accountId,
    name,
    provider,
    status: 'RUNNING',
    branch: metadata.branchName ?? null,
    author: metadata.commitOwner ?? null,
    project,
    environment: metadata.environment ?? null,
    doc: testDoc.write({
      location: location?.name ?? '',
      metadata,
      ...(suiteId === undefined ? {} : { suiteId }),
      ...(sourceFiles === undefined ? {} : { sourceFiles }),
    }),
    created_at: stamp.now,
    stopped_at: null,
  }
  await trx.run(insertTest, test)
  const copies = wanted.checks.map((check) => ({ check, id: stamp.newId() }))
  await numberChecks(
    trx,
    copies.map(({ check, id }) => ({ check_id: id, account_id: accountId, check_type: check.type })),
  )
  const sessions: CheckSessionsTable[] = []
  for (const [position, copy] of copies.entries())
    sessions.push(await storeCopy(app, trx, { ...copy, position, test, wanted, now: stamp.now }))
  return { test, sessions }
}

type Copy = {
  check: ChosenCheck
  id: string
  position: number
  test: TestSessionsTable
  wanted: NewTest
  now: number
}

const storeCopy = async (
  { cipher }: HasCipher,
  trx: Db,
  { check, id, position, test, wanted, now }: Copy,
): Promise<CheckSessionsTable> => {
  const { accountId, location, variables, retryStrategy } = wanted
  const { checkId, type, name, groupId, group, files, bundleId } = check
  const kind = kindOf(type)
  const retries = 'retryStrategy' in kind.fields ? { retryStrategy, doubleCheck: false } : {}
  const doc = { ...check.doc, ...retries }
  const owner = { id, account_id: accountId, check_id: checkId, type, name, group_id: groupId }
  const sealed = checkDoc.write(sealSettings(doc, { cipher, context: checkContext(id) }))
  await trx.run(insertTestedCheck, { ...owner, test_session_id: test.id, error_group_id: null, doc: sealed })
  if (files.length > 0) await trx.run(upsertFiles, { checkId: id, accountId, doc: checkFiles.write(files) })
  if (bundleId !== null) await chooseBundle(trx, { checkId: id, accountId, bundleId, now })
  const effective = effectiveSettings(doc, group, kind)
  const [own] = location === null ? await locationsOf(trx, accountId, effective) : [location]
  if (own === undefined)
    throw invalid([
      violation('runLocation', 'required', `must say where "${name}" is to run: it has no location`),
    ])
  const session: CheckSessionsTable = {
    id,
    account_id: accountId,
    check_id: checkId,
    check_type: type,
    name,
    status: 'STARTED',
    run_source: wanted.runSource,
    trigger_id: test.id,
    group_id: groupId,
    position,
    locations: runLocations.write([own]),
    runtime_id: await runtimeOf(trx, { accountId, type, doc: effective }, group),
    refresh_cache: wanted.refreshCache,
    is_test: true,
    variables: sealSessionVariables(cipher, { id, variables }),
    created_at: now,
    started_at: now,
    stopped_at: null,
  }
  await trx.run(insertSession, session)
  return session
}

const letFirstGo = async (
  trx: Db,
  { checks }: NewTest,
  sessions: CheckSessionsTable[],
  stamp: Stamp,
): Promise<string[]> => {
  const concurrency = new Map(checks.map(({ groupId, group }) => [groupId, group?.concurrency]))
  const wake: string[] = []
  for (const session of firstOfEachGroup(sessions, (id) => concurrency.get(id) ?? defaultConcurrency))
    wake.push(...(await letGo(trx, session, stamp)))
  return wake
}
