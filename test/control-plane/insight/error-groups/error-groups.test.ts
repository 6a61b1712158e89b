// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { consequences } from '../../../../control-plane/consequences.ts'
import { joinErrorGroups } from '../../../../control-plane/insight/error-groups/join-error-groups.ts'
import { errorGroupIdOf } from '../../../../control-plane/monitoring/runs/error-group-id.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { storeCheck, storeFailure } from '../../../support/stored-results.ts'

const at = Date.UTC(2026, 0, 1)
const refused = (ms: number) => `shop.example:443 (203.0.113.7) refused the connection after ${ms} ms`

for (const engine of engineNames) {
  t.test(`errors of one check with the same cleaned message are one group (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const checkId = await storeCheck(service)
    const first = await storeFailure(service, { checkId, at, message: refused(12) })
    const second = await storeFailure(service, { checkId, at: at + 60_000, message: refused(7) })
    t.equal(second, first)
    const other = await storeFailure(service, { checkId, at, message: 'The server answered with status 500' })
    t.not(other, first)
    const { status, body, headers } = await service.call('GET', '/v1/error-groups')
    t.equal(status, 200)
    t.equal(headers.get('content-range'), '0-1/2')
    t.strictSame(body[0], {
      id: first,
      checkId,
      errorHash: body[0].errorHash,
      rawErrorMessage: refused(7),
      cleanedErrorMessage: 'shop.example:<port> (<address>) refused the connection after <duration>',
      firstSeen: '2026-01-01T00:00:00.000Z',
      lastSeen: '2026-01-01T00:01:00.000Z',
      archivedUntilNextEvent: false,
      archiveForEver: false,
      rootCauseAnalyses: [],
    })
    t.match(body[0].errorHash, /^[0-9a-f]{64}$/)
    t.equal(body[1].id, other, 'last seen first')
    t.strictSame((await service.call('GET', `/v1/error-groups/${first}`)).body, body[0])
  })

  t.test(`the same error of two checks is two groups (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const [one, two] = [await storeCheck(service), await storeCheck(service)]
    const a = await storeFailure(service, { checkId: one, at, message: refused(1) })
    const b = await storeFailure(service, { checkId: two, at, message: refused(1) })
    t.not(a, b)
    const { body } = await service.call('GET', `/v1/error-groups/checks/${two}`)
    t.strictSame(
      body.map(({ id }: { id: string }) => id),
      [b],
    )
    t.equal((await service.call('GET', `/v1/error-groups/checks/${service.app.newId()}`)).status, 404)
    t.equal((await service.call('GET', '/v1/error-groups/checks/nonsense')).status, 400)
  })

  t.test(`lastSeen never goes back when results arrive out of order (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const checkId = await storeCheck(service)
    const id = await storeFailure(service, { checkId, at: at + 1000, message: refused(1) })
    await storeFailure(service, { checkId, at, message: refused(1) })
    t.equal((await service.call('GET', `/v1/error-groups/${id}`)).body.lastSeen, '2026-01-01T00:00:01.000Z')
  })

  t.test(
    `archived until the next event: back when seen again; for ever: stays hidden (${engine})`,
    async (t) => {
      const service = await testApp(t, { engine })
      const { call } = service
      const checkId = await storeCheck(service)
      const id = await storeFailure(service, { checkId, at, message: refused(1) })
      const listed = async (more = '') => (await call('GET', `/v1/error-groups${more}`)).body.length
      const patched = await call('PATCH', `/v1/error-groups/${id}`, {
        body: { archivedUntilNextEvent: true },
      })
      t.equal(patched.status, 200)
      t.match(patched.body, { archivedUntilNextEvent: true, archiveForEver: false })
      t.equal(await listed(), 0)
      t.equal(await listed('?includeArchived=true'), 1)
      await storeFailure(service, { checkId, at: at - 1000, message: refused(2) })
      t.equal(await listed(), 0, 'what arrives late is no next event')
      service.advance(60_000)
      await call('PATCH', `/v1/error-groups/${id}`, { body: { archivedUntilNextEvent: true } })
      await storeFailure(service, { checkId, at: at + 1, message: refused(2) })
      t.equal(await listed(), 0, 'nor what failed after the last that was seen and before it was archived')
      await storeFailure(service, { checkId, at: at + 60_001, message: refused(2) })
      t.equal(await listed(), 1, 'seen again')
      await call('PATCH', `/v1/error-groups/${id}`, { body: { archiveForEver: true } })
      await storeFailure(service, { checkId, at: at + 60_002, message: refused(3) })
      t.equal(await listed(), 0, 'hidden for ever')
      t.match((await call('GET', `/v1/error-groups/${id}`)).body, { lastSeen: '2026-01-01T00:01:00.002Z' })
      await call('PATCH', `/v1/error-groups/${id}`, { body: { archiveForEver: false } })
      t.equal(await listed(), 1, 'and brought back')
    },
  )

  t.test(`two clients that archive in two ways both win (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const checkId = await storeCheck(service)
    const id = await storeFailure(service, { checkId, at, message: refused(1) })
    const path = `/v1/error-groups/${id}`
    await Promise.all([
      service.call('PATCH', path, { body: { archivedUntilNextEvent: true } }),
      service.call('PATCH', path, { body: { archiveForEver: true } }),
    ])
    t.match((await service.call('GET', path)).body, { archivedUntilNextEvent: true, archiveForEver: true })
  })

  t.test(`a group is its account's own, and roles are kept (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const checkId = await storeCheck(service)
    const id = await storeFailure(service, { checkId, at, message: refused(1) })
    const path = `/v1/error-groups/${id}`
    const { apiKey: stranger } = await service.addKey()
    t.equal((await service.call('GET', path, { key: stranger })).status, 404)
    t.equal(
      (await service.call('PATCH', path, { key: stranger, body: { archiveForEver: true } })).status,
      404,
    )
    t.strictSame((await service.call('GET', '/v1/error-groups', { key: stranger })).body, [])
    const { apiKey: reader } = await service.addKey({ accountId: service.accountId, role: 'READ_RUN' })
    t.equal((await service.call('GET', path, { key: reader })).status, 200)
    t.equal((await service.call('PATCH', path, { key: reader, body: {} })).status, 403)
    t.equal((await service.call('PATCH', path, { body: { archived: true } })).status, 400, 'unknown field')
    t.equal((await service.call('GET', '/v1/error-groups/nonsense')).status, 400)
  })

  t.test(
    `a hundred failures at once of one error count a hundred and make one group (${engine})`,
    async (t) => {
      const service = await testApp(t, { engine })
      const checkId = await storeCheck(service)
      await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          service.app.db.transaction((trx) =>
            joinErrorGroups(
              trx,
              [
                {
                  accountId: service.accountId,
                  checkId,
                  originId: checkId,
                  sessionId: '',
                  isTest: false,
                  checkType: 'URL',
                  error: refused(i),
                  startedAt: at + i,
                },
              ],
              { now: at },
            ),
          ),
        ),
      )
      const rows = await service.app.db.select((k) => k.selectFrom('error_groups').selectAll())
      t.equal(rows.length, 1)
      t.equal(rows[0]!.id, errorGroupIdOf(checkId, refused(0)))
      t.match(rows, [{ events: 100, first_seen_at: rows[0]!.first_seen_at, last_seen_at: at + 99 }])
    },
  )

  t.test(`groups and analyses go with their check (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const checkId = await storeCheck(service)
    const id = await storeFailure(service, { checkId, at, message: refused(1) })
    const analysis = await service.call('POST', `/v1/root-cause-analyses/error-groups/${id}`)
    const { accountId, app } = service
    const stamp = { now: app.clock.now(), newId: app.newId }
    await app.db.transaction((trx) => consequences.onCheckRemoved(trx, { accountId, checkId }, stamp))
    t.equal((await service.call('GET', `/v1/error-groups/${id}`)).status, 404)
    t.equal((await service.call('GET', `/v1/root-cause-analyses/${analysis.body.id}`)).status, 404)
  })
}
