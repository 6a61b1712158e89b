// Runs in a process of its own: it starts servers and test files.
// Runs in test:all only: it runs whole test files on other servers.
/**
 * The store's tests once more, as they are: on each version of PostgreSQL that we stand for, and with the row of an engine that
 * speaks its protocol and can do less.
 */
import t, { type Test } from 'tap'
import { type Engine, engines } from '../../../../../control-plane/platform/store/database/engines.ts'
import { engineRowVariable } from '../../../../support/databases.ts'
import { binariesOf, oldestPostgres, postgresVersions } from '../../../../support/installed-postgres.ts'
import { enginesVariable, runsIn } from '../../../../support/length.ts'
import { postgresUrl, withConnection } from '../../../../support/postgres.ts'
import { runTestGroup } from '../../../../support/run-test-group.ts'
import { postgresUrlVariable, startPostgres } from '../../../../support/start-postgres.ts'

t.setTimeout(900_000)

/** What differs first: statements, locks, and rows that others hold. */
const ofEachEngine = ['platform/store/database/store.test.ts', 'monitoring/runs/claim-jobs.test.ts']

const ofTheEngine = [
  ...ofEachEngine,
  ...(runsIn('long')
    ? [
        'platform/store/database/slices.test.ts',
        'platform/store/database/document-queries.test.ts',
        'monitoring/runs/take-reports.test.ts',
        'monitoring/runs/waiting-jobs.test.ts',
      ]
    : []),
]

/** What the oldest server does and the newest, on which all other tests run, those between them do as well. */
const ofTheServer = (version: number): string[] => [
  ...ofTheEngine,
  ...(version === oldestPostgres || runsIn('long')
    ? ['monitoring/runs/held-rows.test.ts', 'retention.test.ts']
    : []),
  ...(runsIn('long')
    ? ['platform/store/database/postgres-held.test.ts', '../contract/old-stores.test.ts']
    : []),
]

/** In one process: each has a result of its own. */
const run = async (t: Test, files: readonly string[], env: Record<string, string>): Promise<void> => {
  const paths = files.map((file) => `test/control-plane/${file}`)
  const { results } = await runTestGroup(paths, {
    timeoutMs: 600_000,
    env: { ...process.env, [enginesVariable]: 'postgres', ...env },
    signal: new AbortController().signal,
  })
  for (const { file, failed, passed, details } of results) {
    t.equal(failed, 0, file, { details: details.slice(0, 3000) })
    t.ok(passed > 0, `${file}: ${passed} passed`)
  }
  t.strictSame(
    results.map(({ file }) => file),
    paths,
    'each of them was run',
  )
}

const versionOf = async (url: string): Promise<string | undefined> => {
  const [row] = await withConnection(url, (ask) => ask<{ server_version: string }>('show server_version'))
  return row?.server_version
}

const newest = Math.max(...postgresVersions)

for (const version of postgresVersions.filter((version) => version !== newest)) {
  const binaries = binariesOf(version)
  const skip = binaries === null ? `PostgreSQL ${version} is not installed` : false
  t.test(`PostgreSQL ${version}`, { skip }, async (t) => {
    const server = await startPostgres({ binaries: String(binaries) })
    t.teardown(() => server.stop())
    t.match(await versionOf(server.url), new RegExp(`^${version}\\.`))
    await run(t, ofTheServer(version), { [postgresUrlVariable]: server.url })
  })
}

t.test(`PostgreSQL ${newest} is what every other test runs on`, async (t) => {
  t.match(await versionOf(await postgresUrl()), new RegExp(`^${newest}\\.`))
})

/** Waits for rows that others hold, where PostgreSQL leaves them out, and has a table for each period of results. */
const less: Partial<Engine> = { skipLocked: false, partitions: false, estimatesByColumn: false }

t.test('an engine without partitions that cannot leave out rows that others hold', async (t) => {
  const env = { [postgresUrlVariable]: await postgresUrl(), [engineRowVariable]: JSON.stringify(less) }
  await run(t, ofTheEngine, env)
})

/** One statement a row, as over a connection where that costs nothing, and transactions that are undone instead of waiting. */
const ordering: Partial<Engine> = {
  skipLocked: false,
  rowLocks: false,
  roundTrips: false,
  session: { ...engines.postgres.session, default_transaction_isolation: 'serializable' },
}

t.test('an engine that orders transactions and locks no rows', async (t) => {
  const env = { [postgresUrlVariable]: await postgresUrl(), [engineRowVariable]: JSON.stringify(ordering) }
  await run(t, ofEachEngine, env)
})
