// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

const services = '/v1/status-pages/services'
const missing = '00000000-0000-4000-8000-000000000000'

for (const engine of engineNames) {
  t.test(`a service through its whole life (${engine})`, async (t) => {
    const { call, advance, accountId, addKey } = await testApp(t, { engine })
    const created = await call('POST', services, { body: { name: 'shop' } })
    t.equal(created.status, 201, created.text)
    t.match(created.body, {
      name: 'shop',
      accountId,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: null,
    })
    const one = `${services}/${created.body.id}`
    t.strictSame((await call('GET', one)).body, created.body)
    advance(5)
    const renamed = await call('PUT', one, { body: { name: 'store' } })
    t.equal(renamed.status, 200)
    t.match(renamed.body, { name: 'store', updated_at: '2026-01-01T00:00:00.005Z' })
    const { apiKey: key } = await addKey()
    t.equal((await call('GET', one, { key })).status, 404, 'not for another account')
    t.equal((await call('PUT', one, { key, body: { name: 'x' } })).status, 404)
    t.equal((await call('DELETE', one, { key })).status, 404)
    t.equal((await call('DELETE', one)).status, 204)
    t.equal((await call('GET', one)).status, 404)
    t.equal((await call('PUT', one, { body: { name: 'x' } })).status, 404)
    t.equal((await call('DELETE', one)).status, 404)
  })

  t.test(
    `services are listed 20 by default; paginated=false gives a plain list of all (${engine})`,
    async (t) => {
      const { call, advance } = await testApp(t, { engine })
      for (let index = 0; index < 25; index++) {
        await call('POST', services, { body: { name: `s${index}` } })
        advance(1)
      }
      const names = (list: { name: string }[]) => list.map(({ name }) => name)
      const all = Array.from({ length: 25 }, (_, index) => `s${index}`)
      const first = await call('GET', services)
      t.equal(first.body.length, 20)
      const second = await call('GET', `${services}?limit=20&nextId=${first.body.nextId}`)
      t.equal(second.body.nextId, null)
      t.strictSame(names([...first.body.entries, ...second.body.entries]), all)
      const plain = await call('GET', `${services}?paginated=false`)
      t.strictSame(names(plain.body), all)
    },
  )

  t.test(`a deleted service leaves cards, incidents and windows with it (${engine})`, async (t) => {
    const { call } = await testApp(t, { engine })
    const add = async (name: string): Promise<string> =>
      (await call('POST', services, { body: { name } })).body.id
    const [gone, kept] = [await add('gone'), await add('kept')]
    const both = [{ id: gone }, { id: kept }]
    const page = await call('POST', '/v1/status-pages', {
      body: { name: 'a', url: 'a', cards: [{ name: 'c', services: both }] },
    })
    const incident = (list: object[]) =>
      call('POST', '/v1/status-pages/incidents', {
        body: { name: 'i', severity: 'MINOR', services: list, incidentUpdates: [{ description: 'd' }] },
      })
    const shared = await incident(both)
    const alone = await incident([{ id: gone }])
    const window = await call('POST', '/v1/maintenance-windows', {
      body: {
        name: 'w',
        startsAt: '2026-02-01T00:00:00Z',
        endsAt: '2026-02-01T01:00:00Z',
        statusPageVisibility: { enabled: true, statusPageIds: [page.body.id], serviceIds: [gone, kept] },
      },
    })
    t.equal(window.status, 201, window.text)
    t.equal((await call('DELETE', `${services}/${gone}`)).status, 204)

    const seen = (await call('GET', `/v1/status-pages/${page.body.id}`)).body
    t.strictSame(
      seen.cards[0].services.map(({ id }: { id: string }) => id),
      [kept],
    )
    t.strictSame(
      seen.incidents.map(({ id }: { id: string }) => id),
      [shared.body.id],
    )
    const left = (await call('GET', `/v1/status-pages/incidents/${alone.body.id}`)).body
    t.strictSame(left.services, [], 'an incident without services stays')
    const linked = (await call('GET', `/v1/maintenance-windows/${window.body.id}`)).body
    t.strictSame(linked.statusPageVisibility.serviceIds, [kept])
    await call('DELETE', `/v1/status-pages/${page.body.id}`)
    const unlinked = (await call('GET', `/v1/maintenance-windows/${window.body.id}`)).body
    t.match(unlinked.statusPageVisibility, { statusPageIds: [], serviceIds: [] }, 'a deleted page too')
  })

  t.test(`a service that checks open incidents on is not deleted (${engine})`, async (t) => {
    const { call } = await testApp(t, { engine })
    const { id } = (await call('POST', services, { body: { name: 'shop' } })).body
    const other = (await call('POST', services, { body: { name: 'mail' } })).body
    const check = (serviceId: string) => ({
      name: 'x',
      request: { url: 'https://example.com/' },
      triggerIncident: { serviceId, name: 'down', description: id },
    })
    const created = (await call('POST', '/v1/checks/url', { body: check(id) })).body
    await call('POST', '/v1/checks/url', { body: check(other.id) })
    const refused = await call('DELETE', `${services}/${id}`)
    t.equal(refused.status, 409, refused.text)
    t.strictSame(refused.body.attributes, { checkIds: [created.id], groupIds: [] })
    t.equal((await call('GET', `${services}/${id}`)).status, 200, 'it is still there')
    await call('PUT', `/v1/checks/url/${created.id}`, { body: { triggerIncident: null } })
    t.equal((await call('DELETE', `${services}/${id}`)).status, 204)
  })
}

t.test('a service needs a name, and ids are UUIDs', async (t) => {
  const { call } = await testApp(t)
  for (const body of [{}, { name: '' }, { name: 'x'.repeat(256) }, { name: 'a', key: missing }])
    t.equal((await call('POST', services, { body })).status, 400)
  t.equal((await call('GET', `${services}/7`)).status, 400)
  t.equal((await call('GET', `${services}/${missing}`)).status, 404)
})
