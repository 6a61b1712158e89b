import t from 'tap'
import { checkAlertRows } from '../../../../control-plane/alerting/check-alerts/queries.ts'
import { insertCheck } from '../../../../control-plane/monitoring/definitions/checks/queries.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

const hourMs = 3_600_000

const addAlert = async ({ app, accountId }: TestApp, checkId: string, at: number): Promise<string> => {
  const id = app.newId()
  await app.db.run(checkAlertRows.one, {
    id,
    account_id: accountId,
    check_id: checkId,
    check_type: 'URL',
    problem: null,
    opening_host: null,
    opening_location: null,
    alert_type: 'ALERT_FAILURE',
    name: 'Home',
    started_at: at - 500,
    created_at: at,
    doc: JSON.stringify({ runLocation: 'local', responseTime: 12, error: null, statusCode: '503' }),
  })
  return id
}

for (const engine of engineNames)
  t.test(
    `alerts are listed newest first, of all checks or of one, in a window of 6 hours (${engine})`,
    async (t) => {
      const given = await testApp(t, { engine })
      const { app, call, accountId, addKey } = given
      const now = app.clock.now()
      const [a, b] = [app.newId(), app.newId()]
      for (const id of [a, b])
        await app.db.run(insertCheck, {
          id,
          account_id: accountId,
          type: 'URL',
          name: 'x',
          activated: false,
          group_id: null,
          created_at: 1,
          doc: '{}',
        })
      const old = await addAlert(given, a, now - 7 * hourMs)
      const first = await addAlert(given, a, now - hourMs)
      const second = await addAlert(given, b, now)
      const all = await call('GET', '/v1/check-alerts')
      t.strictSame(
        all.body.map(({ id }: { id: string }) => id),
        [second, first],
      )
      t.equal(all.headers.get('content-range'), '0-1/2')
      t.strictSame(all.body[1], {
        id: first,
        name: 'Home',
        checkId: a,
        checkType: 'URL',
        location: null,
        group: null,
        runLocation: 'local',
        alertType: 'ALERT_FAILURE',
        responseTime: 12,
        error: null,
        statusCode: '503',
        created_at: new Date(now - hourMs).toISOString(),
        startedAt: new Date(now - hourMs - 500).toISOString(),
        response: null,
        keptBack: null,
      })
      const ids = async (path: string) => (await call('GET', path)).body.map(({ id }: { id: string }) => id)
      t.strictSame(await ids(`/v1/check-alerts/${a}`), [first])
      t.strictSame(await ids('/v1/check-alerts?limit=1&page=2'), [first])
      const seconds = now / 1000
      t.strictSame(await ids(`/v1/check-alerts?from=${seconds - 8 * 3600}&to=${seconds - 6 * 3600}`), [old])
      t.strictSame(await ids(`/v1/check-alerts?from=${seconds - 3600}`), [second, first], 'from is inclusive')
      t.strictSame(await ids(`/v1/check-alerts?to=${seconds}`), [first], 'to is exclusive')
      for (const query of [
        `from=${seconds - 6 * 3600 - 1}&to=${seconds}`,
        `from=${seconds}&to=${seconds}`,
        'from=x',
        'limit=101',
      ])
        t.equal((await call('GET', `/v1/check-alerts?${query}`)).status, 400, query)
      const { apiKey: key } = await addKey()
      t.strictSame((await call('GET', '/v1/check-alerts', { key })).body, [])
      t.equal((await call('GET', `/v1/check-alerts/${a}`, { key })).status, 404)
      t.equal((await call('GET', '/v1/check-alerts/x')).status, 400)
    },
  )
