// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { eachEngine, type TestApp, testApp } from '../../../support/app.ts'

const all = '/v3/status-pages'
const missing = '00000000-0000-4000-8000-000000000000'

const makePage = async ({ call }: TestApp, more: object = {}) => {
  const answer = await call('POST', all, { body: { name: 'Acme', url: 'acme', ...more } })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body
}

const shown = async (plane: TestApp): Promise<string> => {
  plane.advance(1500)
  return (await fetch(`${plane.url}/status/acme`)).text()
}

eachEngine('a page is the same in both versions, and a change replaces it', async (t, plane) => {
  const { call, addKey } = plane
  const links = { privacyPolicyLink: 'https://acme.example/privacy', supportLink: 'mailto:help@acme.example' }
  const page = await makePage(plane, { footerText: 'From 8 to 18.', allowIndexing: false, ...links })
  const one = `${all}/${page.id}`
  t.match(page, { url: 'acme', defaultTheme: 'AUTO', termsOfServiceLink: null, isPrivate: false })
  t.strictSame((await call('GET', one)).body, page)
  t.strictSame((await call('GET', all)).body, { length: 1, entries: [page], nextId: null })
  const text = await shown(plane)
  t.match(text, /From 8 to 18\.[\s\S]*href="mailto:help@acme\.example"[\s\S]*Privacy policy/)
  t.match(text, /noindex/)
  const older = await call('GET', `/v1/status-pages/${page.id}`)
  t.match(older.body, { name: 'Acme', cards: [] })
  t.equal(older.body.footerText, undefined)
  const put = await call('PUT', `/v1/status-pages/${page.id}`, {
    body: { name: 'Renamed', url: 'acme', cards: [], translations: { de: { name: 'Umbenannt' } } },
  })
  t.equal(put.status, 200, put.text)
  t.match((await call('GET', one)).body, { name: 'Renamed', footerText: 'From 8 to 18.', ...links })
  const whole = await call('PUT', one, { body: { name: 'Whole', url: 'acme' } })
  t.match(whole.body, { name: 'Whole', footerText: null, allowIndexing: true, supportLink: null })
  t.match((await call('GET', `/v1/status-pages/${page.id}`)).body.translations, { de: { name: 'Umbenannt' } })
  t.equal((await call('POST', all, { body: { name: 'x', url: 'ACME' } })).status, 409)
  const { apiKey: key } = await addKey()
  for (const method of ['GET', 'DELETE']) t.equal((await call(method, one, { key })).status, 404)
  t.equal((await call('DELETE', one)).status, 204)
  t.equal((await call('GET', one)).status, 404)
})

eachEngine('components are cards and services, and are shown so', async (t, plane) => {
  const { call } = plane
  const page = await makePage(plane)
  const path = `${all}/${page.id}/components`
  const make = async (body: object) => {
    const answer = await call('POST', path, { body })
    t.equal(answer.status, 201, answer.text)
    return answer.body
  }
  const group = await make({ type: 'GROUP', name: 'Backend', displayOrder: 1, description: 'Behind it' })
  const api = await make({ name: 'API', parentId: group.id, displayOrder: 2, description: 'Public' })
  const web = await make({ name: 'Web', displayOrder: 0 })
  const secret = await make({ name: 'Inner', hidden: true, parentId: group.id })
  t.match(api, { type: 'SERVICE', parentId: group.id, hidden: false, statusPageId: page.id })
  const older = (await call('GET', `/v1/status-pages/${page.id}`)).body
  t.strictSame(
    older.cards.map(({ name, services }: { name: string; services: { name: string }[] }) => [
      name,
      services.map((each) => each.name),
    ]),
    [
      ['', ['Web']],
      ['Backend', ['Inner', 'API']],
    ],
  )
  const text = await shown(plane)
  t.match(text, /Web[\s\S]*Backend[\s\S]*API/)
  t.notMatch(text, /Inner/)
  const back = await call('PUT', `/v1/status-pages/${page.id}`, { body: older })
  t.equal(back.status, 200, back.text)
  t.match((await call('GET', `${path}/${secret.id}`)).body, { hidden: true, parentId: group.id })

  const moved = await call('PUT', `${path}/${api.id}`, { body: { name: 'REST API' } })
  t.match(moved.body, { name: 'REST API', parentId: null, description: null, displayOrder: 0 })
  const first = await call('GET', `${path}?limit=3`)
  const rest = await call('GET', `${path}?limit=3&nextId=${first.body.nextId}`)
  t.strictSame([first.body.length, rest.body.length, rest.body.nextId], [3, 1, null])
  const refused = async (body: object, field: RegExp) => {
    const answer = await call('POST', path, { body: { name: 'x', ...body } })
    t.equal(answer.status, 400, answer.text)
    t.match(answer.body.message, field)
  }
  await refused({ parentId: missing }, /"parentId" is no GROUP/)
  await refused({ parentId: web.id }, /"parentId" is no GROUP/)
  await refused({ type: 'GROUP', parentId: group.id }, /groups stand in no other/)
  const other = await call('PUT', `${path}/${web.id}`, { body: { name: 'x', type: 'GROUP' } })
  t.match(other.body.message, /"type" is SERVICE/)
  t.equal((await call('PUT', `${path}/${missing}`, { body: { name: 'x' } })).status, 404)

  t.equal((await call('DELETE', `${path}/${group.id}`)).status, 204)
  t.match((await call('GET', `${path}/${secret.id}`)).body, { parentId: null }, 'it lets go of what is in it')
  t.equal((await call('GET', `${path}/${group.id}`)).status, 404)
  t.equal((await call('DELETE', `${path}/${web.id}`)).status, 204)
  t.equal((await call('GET', `/v1/status-pages/services/${web.id}`)).status, 404, 'nothing knew it')
})

t.test('a service that others know outlives its component', async (t) => {
  const plane = await testApp(t)
  const { call } = plane
  const page = await makePage(plane)
  const path = `${all}/${page.id}/components`
  const { body: api } = await call('POST', path, { body: { name: 'API' } })
  const check = { name: 'c', request: { url: 'https://shop.example/' } }
  await call('POST', '/v1/checks/url', {
    body: { ...check, triggerIncident: { serviceId: api.id, name: 'Down', description: 'x' } },
  })
  t.equal((await call('DELETE', `${path}/${api.id}`)).status, 204)
  t.equal((await call('GET', `${path}/${api.id}`)).status, 404)
  t.equal((await call('GET', `/v1/status-pages/services/${api.id}`)).status, 200)
})

eachEngine('subscribers, in parts, the newest first', async (t, plane) => {
  const { call } = plane
  const { id } = await makePage(plane)
  const path = `${all}/${id}/subscribers`
  const subscribe = (names: string[], autoVerify: boolean) =>
    call('POST', `${path}/bulk`, {
      body: {
        subscriptions: names.map((name) => ({ type: 'EMAIL', config: { address: `${name}@example.com` } })),
        autoVerify,
      },
    })
  t.match((await subscribe(['ada'], true)).body, { created: 1, skipped: 0, status: 'VERIFIED' })
  plane.advance(1000)
  t.match((await subscribe(['bob', 'Ada'], false)).body, { created: 1, skipped: 1 })
  const first = await call('GET', `${path}?limit=1`)
  t.match(first.body, { length: 1, entries: [{ address: 'bob@example.com', status: 'PENDING' }] })
  const second = await call('GET', `${path}?limit=1&nextId=${first.body.nextId}`)
  t.match(second.body, { entries: [{ address: 'ada@example.com' }], nextId: null })
  t.equal((await call('GET', `${path}?status=VERIFIED`)).body.length, 1)
  const [{ id: subscriberId }] = second.body.entries
  t.equal((await call('DELETE', `${path}/${subscriberId}`)).status, 204)
  t.equal((await call('DELETE', `${path}/${subscriberId}`)).status, 404)
  t.equal((await call('GET', `${all}/${missing}/subscribers`)).status, 404)
})

const answers = new Map<string, string[]>()

t.test('a custom domain is proven, and said to be', async (t) => {
  const plane = await testApp(t, {
    parts: { domainRecords: { txt: async (name) => answers.get(name) ?? [], cname: async () => [] } },
  })
  const { call } = plane
  const bare = await makePage(plane, { url: 'bare' })
  const path = (id: string) => `${all}/${id}/custom-domain-verifications`
  t.match((await call('GET', path(bare.id))).body, { status: 'none', ownershipVerification: null })
  const page = await makePage(plane, { customDomain: 'status.acme.example' })
  const before = await call('GET', path(page.id))
  t.match(before.body, { status: 'pending', validationMethod: 'txt', verificationErrors: [] })
  const missed = await call('POST', `${path(page.id)}/recheck`)
  t.equal(missed.body.verificationErrors.length, 1)
  const { name, value } = before.body.ownershipVerification
  answers.set(name, [value])
  t.match((await call('POST', `${path(page.id)}/recheck`)).body, { status: 'active', verificationErrors: [] })
})
