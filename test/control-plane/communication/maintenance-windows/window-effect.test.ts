import t from 'tap'
import { pausedAt } from '../../../../control-plane/communication/maintenance-windows/active-windows.ts'
import { windowsOfAccount } from '../../../../control-plane/communication/maintenance-windows/window-plans.ts'
import { type Answer, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

const windows = '/v1/maintenance-windows'
const missing = '00000000-0000-4000-8000-000000000000'

const newWindow = (more: object = {}) => ({
  name: 'Upgrade',
  startsAt: '2026-01-02T02:00:00Z',
  endsAt: '2026-01-02T04:00:00+01:00',
  ...more,
})

const paths = ({ body }: Answer): string[] =>
  (body.attributes?.violations ?? []).map(({ path }: { path: string }) => path)

for (const engine of engineNames) {
  t.test(`pages and services of statusPageVisibility must belong together (${engine})`, async (t) => {
    const { call, addKey } = await testApp(t, { engine })
    const service = async () =>
      (await call('POST', '/v1/status-pages/services', { body: { name: 's' } })).body.id as string
    const [on, off] = [await service(), await service()]
    const cards = [{ name: 'c', services: [{ id: on }] }]
    const page = (await call('POST', '/v1/status-pages', { body: { name: 'a', url: 'a', cards } })).body.id
    const post = (visibility: object, key?: string) =>
      call('POST', windows, {
        body: newWindow({ statusPageVisibility: visibility }),
        ...(key ? { key } : {}),
      })
    const at = (field: string) => `statusPageVisibility.${field}`
    const refused: [object, string][] = [
      [{ statusPageIds: [page] }, at('serviceIds')],
      [{ serviceIds: [on] }, at('serviceIds')],
      [{ statusPageIds: [page], serviceIds: [on], affectAllServices: true }, at('serviceIds')],
      [{ statusPageIds: [page], serviceIds: [off] }, at('serviceIds.0')],
      [{ statusPageIds: [missing], affectAllServices: true }, at('statusPageIds.0')],
      [{ reminderMinutesBefore: [59] }, at('reminderMinutesBefore.0')],
      [{ reminderMinutesBefore: [10_081] }, at('reminderMinutesBefore.0')],
      [{ reminderMinutesBefore: [60, 70, 80, 90] }, at('reminderMinutesBefore')],
      [{ severity: 'HUGE' }, at('severity')],
    ]
    for (const [visibility, path] of refused) {
      const answer = await post(visibility)
      t.equal(answer.status, 400, JSON.stringify(visibility))
      t.ok(paths(answer).includes(path), `${path} in ${paths(answer)}`)
    }
    const { apiKey } = await addKey()
    t.equal((await post({ statusPageIds: [page], affectAllServices: true }, apiKey)).status, 400)
    t.equal((await post({ statusPageIds: [page], affectAllServices: true })).status, 201)
    const linked = await post({
      enabled: true,
      statusPageIds: [page],
      serviceIds: [on],
      reminderMinutesBefore: [60, 10_080],
    })
    t.equal(linked.status, 201, linked.text)
    const unlinked = await call('PUT', `${windows}/${linked.body.id}`, {
      body: { statusPageVisibility: { statusPageIds: [], serviceIds: [] } },
    })
    t.match(unlinked.body.statusPageVisibility, {
      enabled: true,
      reminderMinutesBefore: [60, 10_080],
      statusPageIds: [],
      serviceIds: [],
    })
  })

  t.test(`the scheduler sees the windows that may still act, touched or not (${engine})`, async (t) => {
    const { app, call, accountId, advance, addKey } = await testApp(t, { engine })
    const day = '2026-01-02'
    await call('POST', windows, { body: newWindow({ tags: ['db'] }) })
    await call('POST', windows, { body: newWindow({ pauseAllChecks: true, repeatUnit: 'MONTH' }) })
    const other = await addKey()
    await call('POST', windows, { key: other.apiKey, body: newWindow({ pauseAllChecks: true }) })
    const seen = () => windowsOfAccount(app.db, accountId, app.clock.now())
    t.equal((await seen()).length, 2)
    const at = (time: string) => Date.parse(time)
    t.equal(pausedAt(await seen(), ['db'], at(`${day}T02:30:00Z`)), true)
    await call('DELETE', `${windows}/2/maintenances/2-20260102`)
    t.equal(pausedAt(await seen(), [], at(`${day}T02:30:00Z`)), false)
    t.equal(pausedAt(await seen(), [], at('2026-02-02T02:30:00Z')), true)
    await call('POST', `${windows}/1/maintenances/1-20260102/updates`, {
      body: { status: 'IN_PROGRESS', description: 'early' },
    })
    t.equal(pausedAt(await seen(), ['db'], app.clock.now()), true, 'started by hand')
    t.equal(pausedAt(await seen(), ['db'], at(`${day}T03:00:00Z`)), false)
    await call('POST', windows, { body: newWindow({ tags: ['late'] }) })
    advance(5 * 24 * 3_600_000)
    t.equal((await seen()).length, 2, 'one that is over for good is left out')
    t.strictSame(await windowsOfAccount(app.db, missing, 0), [])
  })
}
