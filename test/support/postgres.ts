/**
 * Real PostgreSQL for tests.
 *
 * `test/run.ts` starts one server for the whole run and hands its URL on in TEST_DATABASE_URL_POSTGRES. A test
 * file that runs alone starts its own on first use and stops it when its tests are over.
 */
import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import rootTest from 'tap'
import { type PostgresServer, postgresUrlVariable, startPostgres } from './start-postgres.ts'

const ownServer: { started?: Promise<PostgresServer> } = {}

/** The URL of a server for this process: the run's shared one, or our own (stopped after the last test). */
export async function postgresUrl(): Promise<string> {
  const shared = process.env[postgresUrlVariable]
  if (shared) return shared
  if (!ownServer.started) {
    ownServer.started = startPostgres()
    rootTest.teardown(async () => (await ownServer.started)?.stop())
  }
  return (await ownServer.started).url
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

/** Creates an empty database for the test `t`, dropped when `t` ends. Returns its `postgres://` URL. */
export async function freshPostgresDatabase(t: {
  teardown: (drop: () => Promise<void>) => void
}): Promise<string> {
  const server = await postgresUrl()
  const name = `test_${randomBytes(8).toString('hex')}`
  await execute(server, `create database ${name}`)
  t.teardown(async () => {
    // Without FORCE first: a connection that the test forgot to close is reported, then cut.
    await execute(server, `drop database ${name}`).catch(async (leak: unknown) => {
      await execute(server, `drop database ${name} with (force)`)
      throw leak
    })
  })
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
