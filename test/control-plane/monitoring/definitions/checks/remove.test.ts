// Runs on both engines in test:all: rows of many tables are deleted.
import { sql } from 'kysely'
import t from 'tap'
import { removeResultsTick } from '../../../../../control-plane/monitoring/results/remove-results.ts'
import { builderFor } from '../../../../../control-plane/platform/store/database/builder.ts'
import type { Db } from '../../../../../control-plane/platform/store/database/db.ts'
import { agentPaths } from '../../../../../protocol/agent-api.ts'
import { allRows } from '../../../../support/all-results.ts'
import { testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'
import { claimRequest } from '../../../../support/engine-room.ts'

type Column = { table_name: string; column_name: string }

const columnsQuery = {
  sqlite: sql<Column>`select m.name as table_name, c.name as column_name from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'`,
  postgres: sql<Column>`select table_name, column_name from information_schema.columns where table_schema = 'public'`,
}

/** Every table that has rows about this check. */
const tablesAbout = async (db: Db, checkId: string): Promise<string[]> => {
  const ask = <R>(query: ReturnType<typeof sql<R>>) =>
    db.select<R>(() => ({ compile: () => query.compile(builderFor(db.engine)) }))
  const columns = await ask(columnsQuery[db.engine.name])
  const found: string[] = []
  for (const { table_name: table } of columns.filter(({ column_name }) => column_name === 'check_id')) {
    const rows = await ask(sql`select check_id from ${sql.table(table)} where check_id = ${checkId}`)
    if (rows.length > 0) found.push(table)
  }
  // A number for its results is there as long as they are.
  if ((await allRows(db)).some(({ check_id }) => check_id === checkId)) found.push('results')
  return found.sort()
}

for (const engine of engineNames)
  t.test(`with a check goes everything that is known about it (${engine})`, async (t) => {
    const { call, app, advance, agentKey } = await testApp(t, { engine })
    await call('POST', '/v1/alert-channels', {
      body: { type: 'EMAIL', config: { address: 'a@example.com' } },
    })
    const dependencies = [{ path: 'a.ts', content: '' }]
    const { id } = (
      await call('POST', '/v1/checks/browser', {
        body: {
          name: 'x',
          script: '',
          dependencies,
          tags: ['a'],
          privateLocations: ['local'],
          doubleCheck: false,
        },
      })
    ).body
    const other = (
      await call('POST', '/v1/checks/browser', {
        body: { name: 'y', script: '', privateLocations: ['local'] },
      })
    ).body
    await call('POST', '/v1/check-sessions/trigger', { body: { target: { checkId: [id] } } })
    const claimed = await call('POST', agentPaths.claim, {
      key: agentKey,
      body: claimRequest({ checkTypes: ['BROWSER'], runtimeIds: ['2026.04'], maxMain: 10 }),
    })
    const job = claimed.body.jobs.find((each: { checkId: string }) => each.checkId === id)
    const outcome = { kind: 'could-not-run', reason: 'no browser' }
    const at = app.clock.now()
    const reports = [{ jobId: job.id, fence: job.fence, startedAt: at, stoppedAt: at, outcome, log: [] }]
    await call('POST', agentPaths.report, { key: agentKey, body: { agentId: 'agent-1', reports } })
    t.match(await tablesAbout(app.db, id), [
      'channel_subscriptions',
      'check_files',
      'check_numbers',
      'check_sessions',
      'check_statuses',
      'check_tags',
      'configuration_changes',
      'error_groups',
      'jobs',
      'results',
      'root_cause_analyses',
      'schedule_locations',
      'schedules',
    ])
    advance(1000)
    t.equal((await call('DELETE', `/v1/checks/${id}`)).status, 204)
    t.strictSame(
      await tablesAbout(app.db, id),
      ['check_numbers', 'configuration_changes', 'removed_checks', 'results'],
      'results go little by little',
    )
    t.equal((await call('GET', `/v2/check-results/${id}`)).status, 404, 'and nobody sees them')
    await removeResultsTick(app, new AbortController().signal)
    t.strictSame(
      await tablesAbout(app.db, id),
      ['configuration_changes'],
      'agents with standing orders learn that it is gone',
    )
    t.strictSame(await app.db.select((k) => k.selectFrom('check_session_runs').select('id')), [])
    t.ok((await tablesAbout(app.db, other.id)).length > 0, 'the other check keeps what is its own')
  })

t.test('a session that waits for the deleted check’s turn goes on', async (t) => {
  const { call, app } = await testApp(t)
  const { id: groupId } = (await call('POST', '/v2/check-groups', { body: { name: 'g', concurrency: 1 } }))
    .body
  const body = { name: 'x', request: { url: 'https://example.com' }, groupId, privateLocations: ['local'] }
  const first = (await call('POST', '/v1/checks/url', { body: { ...body, groupOrder: 1 } })).body
  const second = (await call('POST', '/v1/checks/url', { body: { ...body, groupOrder: 2 } })).body
  await call('POST', '/v1/check-sessions/trigger', { body: { target: { checkId: [first.id, second.id] } } })
  const triggered = () =>
    app.db.select((k) => k.selectFrom('jobs').select('check_id').where('run_source', '=', 'TRIGGER_API'))
  t.strictSame(await triggered(), [{ check_id: first.id }])
  await call('DELETE', `/v1/checks/${first.id}`)
  t.strictSame(await triggered(), [{ check_id: second.id }])
})
