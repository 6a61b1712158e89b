/**
 * Real PostgreSQL for tests.
 *
 * `test/run.ts` starts one server for the whole run and hands its URL on in TEST_DATABASE_URL_POSTGRES. A test
 * file that runs alone starts its own on first use and stops it when its tests are over.
 */
import { randomBytes } from 'node:crypto'
import { Client, type QueryResultRow } from 'pg'
import rootTest from 'tap'
import { type PostgresServer, postgresUrlVariable, startPostgres } from './start-postgres.ts'
import './patience.ts'

const ownServer: { started?: Promise<PostgresServer> } = {}

/** The URL of a server for this process: the run's shared one, or our own (stopped after the last test). */
export async function postgresUrl(): Promise<string> {
  const shared = process.env[postgresUrlVariable]
  if (shared) return shared
  if (!ownServer.started) {
    ownServer.started = startPostgres()
    rootTest.teardown(async () => {
      const server = await ownServer.started
      delete ownServer.started
      await server?.stop()
    })
  }
  return (await ownServer.started).url
}

/** Where `name` is on the server of `url`. */
export function databaseUrl(url: string, name: string): string {
  const result = new URL(url)
  result.pathname = `/${name}`
  return result.href
}

export type Ask = <R extends QueryResultRow>(statement: string, values?: unknown[]) => Promise<R[]>

/** One connection for as long as `work` takes. */
export async function withConnection<T>(url: string, work: (ask: Ask) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const ask: Ask = async (statement, values) => (await client.query(statement, values)).rows
  return work(ask).finally(() => client.end())
}

export const newDatabaseName = () => `test_${randomBytes(8).toString('hex')}`

/** Creates an empty database for the test `t`, dropped when `t` ends. Returns its `postgres://` URL. */
export async function freshPostgresDatabase(t: {
  teardown: (drop: () => Promise<void>) => void
}): Promise<string> {
  const server = await postgresUrl()
  const name = newDatabaseName()
  await withConnection(server, (ask) => ask(`create database ${name}`))
  t.teardown(() =>
    withConnection(server, async (ask) => {
      // Without FORCE first: a connection that the test forgot to close is reported, then cut.
      await ask(`drop database ${name}`).catch(async (leak: unknown) => {
        await ask(`drop database ${name} with (force)`)
        throw leak
      })
    }),
  )
  return databaseUrl(server, name)
}
