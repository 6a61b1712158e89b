// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { colorNames } from '../../../../control-plane/communication/stored-pages/branding.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

const pages = '/v1/status-pages'
const missing = '00000000-0000-4000-8000-000000000000'

const addService = async ({ call }: TestApp, name: string): Promise<string> =>
  (await call('POST', `${pages}/services`, { body: { name } })).body.id

const palette = (color: string) => Object.fromEntries(colorNames.map((name) => [name, color]))

for (const engine of engineNames) {
  t.test(`a status page through its whole life (${engine})`, async (t) => {
    const app = await testApp(t, { engine })
    const { call } = app
    const shop = await addService(app, 'shop')
    const mail = await addService(app, 'mail')
    const created = await call('POST', pages, {
      body: {
        name: 'Status',
        url: 'Acme-Status',
        customDomain: 'Status.Acme.example',
        cards: [{ name: 'first', services: [{ id: mail }, { id: shop }] }, { name: 'empty' }],
      },
    })
    t.equal(created.status, 201, created.text)
    t.match(created.body, {
      accountId: app.accountId,
      name: 'Status',
      url: 'acme-status',
      customDomain: 'status.acme.example',
      description: null,
      themeColors: null,
      logo: null,
      logoDark: null,
      redirectTo: null,
      favicon: null,
      defaultTheme: 'AUTO',
      version: null,
      whiteLabel: false,
      isPrivate: false,
      keys: [],
      incidents: [],
      updated_at: null,
    })
    const [first, empty] = created.body.cards
    t.strictSame(
      first.services.map(({ id, name }: { id: string; name: string }) => [id, name]),
      [
        [mail, 'mail'],
        [shop, 'shop'],
      ],
      'a card shows its services in full, in order',
    )
    t.strictSame(empty.services, [])
    const one = `${pages}/${created.body.id}`
    t.strictSame((await call('GET', one)).body, created.body)
    t.strictSame((await call('GET', pages)).body, { length: 1, entries: [created.body], nextId: null })

    app.advance(1000)
    const changed = await call('PUT', one, {
      body: {
        name: 'Renamed',
        url: 'acme-status',
        description: 'All systems',
        cards: [
          { name: 'new', services: [] },
          { id: first.id, statusPageId: created.body.id, name: 'kept', services: first.services.slice(1) },
        ],
      },
    })
    t.equal(changed.status, 200, changed.text)
    t.match(changed.body, {
      name: 'Renamed',
      description: 'All systems',
      customDomain: 'status.acme.example',
      updated_at: '2026-01-01T00:00:01.000Z',
      cards: [
        { name: 'new', created_at: '2026-01-01T00:00:01.000Z', updated_at: null },
        {
          id: first.id,
          name: 'kept',
          created_at: '2026-01-01T00:00:00.000Z',
          updated_at: '2026-01-01T00:00:01.000Z',
          services: [{ id: shop }],
        },
      ],
    })
    t.equal(changed.body.cards.length, 2, 'cards that are not sent are gone')

    t.equal((await call('DELETE', one)).status, 204)
    t.equal((await call('GET', one)).status, 404)
    t.equal((await call('PUT', one, { body: { name: 'a', url: 'a', cards: [] } })).status, 404)
    t.equal((await call('DELETE', one)).status, 404)
    t.equal((await call('GET', `${pages}/services/${shop}`)).status, 200, 'services stay')
    const again = await call('POST', pages, { body: { name: 'a', url: 'acme-status', cards: [] } })
    t.equal(again.status, 201, 'the address is free again')
  })

  t.test(`url and customDomain are unique over the installation, in any case (${engine})`, async (t) => {
    const { call, addKey } = await testApp(t, { engine })
    const other = await addKey()
    const page = (body: object, key?: string) =>
      call('POST', pages, { body: { name: 'a', cards: [], ...body }, ...(key ? { key } : {}) })
    const first = await page({ url: 'taken', customDomain: 'a.example.com' })
    t.equal((await page({ url: 'TAKEN' }, other.apiKey)).status, 409)
    t.equal((await page({ url: 'free', customDomain: 'A.example.com' }, other.apiKey)).status, 409)
    const second = await page({ url: 'free' }, other.apiKey)
    t.equal(second.status, 201, 'a refused page leaves nothing behind')
    const move = (body: object) =>
      call('PUT', `${pages}/${second.body.id}`, {
        key: other.apiKey,
        body: { name: 'a', url: 'free', cards: [], ...body },
      })
    t.equal((await move({ url: 'taken' })).status, 409)
    t.equal((await move({ customDomain: 'a.example.com' })).status, 409)
    await call('PUT', `${pages}/${first.body.id}`, {
      body: { name: 'a', url: 'moved', customDomain: null, cards: [] },
    })
    t.equal(
      (await move({ url: 'taken', customDomain: 'a.example.com' })).status,
      200,
      'once they are given up',
    )
    const both = await Promise.all([page({ url: 'race' }), page({ url: 'race' }, other.apiKey)])
    t.strictSame(both.map(({ status }) => status).sort(), [201, 409], 'of two at once, one wins')
  })

  t.test(`another account's page, services and keys are out of reach (${engine})`, async (t) => {
    const app = await testApp(t, { engine })
    const other = (await app.addKey()).apiKey
    const { body } = await app.call('POST', pages, { body: { name: 'a', url: 'a', cards: [] } })
    const one = `${pages}/${body.id}`
    const put = { body: { name: 'b', url: 'b', cards: [] }, key: other }
    t.equal((await app.call('GET', one, { key: other })).status, 404)
    t.equal((await app.call('PUT', one, put)).status, 404)
    t.equal((await app.call('DELETE', one, { key: other })).status, 404)
    t.strictSame((await app.call('GET', pages, { key: other })).body.entries, [])
    const service = await addService(app, 'shop')
    const stolen = { name: 'b', url: 'b', cards: [{ name: 'c', services: [{ id: service }] }] }
    const refused = await app.call('POST', pages, { body: stolen, key: other })
    t.equal(refused.status, 400)
    t.match(refused.body.message, '"cards.0.services.0.id" is not a service of the account')
  })
}

/** Letters in another colour than what is behind them. */
const readable = <P extends object>(colors: P, letters: string): P =>
  Object.fromEntries(
    Object.entries(colors).map(([name, color]) => [name, name.includes('Font') ? letters : color]),
  ) as P

t.test('a page’s rules are refused by name', async (t) => {
  const { call } = await testApp(t)
  const good = { name: 'a', url: 'a', cards: [] }
  const colors = { light: palette('#fff'), dark: palette('#0a0B0c') }
  const { borderColor: _, ...eleven } = palette('#FFF')
  const cases: [object, string][] = [
    [{ name: undefined }, 'name'],
    [{ url: undefined }, 'url'],
    [{ cards: undefined }, 'cards'],
    [{ url: 'no spaces' }, 'url'],
    [{ url: '-dash' }, 'url'],
    [{ description: 'x'.repeat(501) }, 'description'],
    [{ customDomain: 'not a host' }, 'customDomain'],
    [{ logo: 'ftp://example.com/logo.png' }, 'logo'],
    [{ logoDark: 'javascript:alert(1)' }, 'logoDark'],
    [{ redirectTo: 'example.com' }, 'redirectTo'],
    [{ favicon: 7 }, 'favicon'],
    [{ defaultTheme: 'PINK' }, 'defaultTheme'],
    [{ themeColors: { light: palette('#FFF') } }, 'themeColors.dark'],
    [{ themeColors: { ...colors, dark: eleven } }, 'themeColors.dark.borderColor'],
    [{ themeColors: { ...colors, dark: palette('#FFFF') } }, 'themeColors.dark.borderColor'],
    [{ themeColors: { ...colors, dark: palette('red') } }, 'themeColors.dark.titleFontColor'],
    [{ cards: [{ services: [] }] }, 'cards.0.name'],
    [{ cards: [{ name: 'c', services: [{ id: missing }] }] }, 'cards.0.services.0.id'],
    [
      {
        cards: [
          { id: missing, name: 'c' },
          { id: missing, name: 'd' },
        ],
      },
      'cards.1.id',
    ],
    [{ account: missing }, 'account'],
    [{ unknown: 1 }, 'unknown'],
  ]
  for (const [body, path] of cases) {
    const { status, body: answer } = await call('POST', pages, { body: { ...good, ...body } })
    t.equal(status, 400, JSON.stringify(body))
    const paths = (answer.attributes?.violations ?? []).map((violation: { path: string }) => violation.path)
    t.ok(paths.includes(path), `${path} in ${paths}`)
  }
  const { body } = await call('POST', pages, {
    body: {
      ...good,
      themeColors: { light: readable(colors.light, '#101820'), dark: readable(colors.dark, '#f5f5f5') },
      logo: 'https://example.com/logo.png',
      version: 2,
      whiteLabel: true,
    },
  })
  t.equal(body.themeColors.dark.borderColor, '#0A0B0C', 'colours are kept in upper case')
  t.match(body, { logo: 'https://example.com/logo.png', version: 2, whiteLabel: true })
  t.equal((await call('GET', `${pages}/not-a-uuid`)).status, 400)
  const stray = { ...good, cards: [{ name: 'c', statusPageId: missing }] }
  t.equal((await call('PUT', `${pages}/${body.id}`, { body: stray })).status, 400)
  const twice = { ...good, cards: [{ name: 'c', services: [{ id: missing }, { id: missing }] }] }
  t.equal((await call('PUT', `${pages}/${body.id}`, { body: twice })).status, 400)
})

t.test('a reader sees pages and changes none', async (t) => {
  const { call, addKey, accountId } = await testApp(t)
  const { apiKey: key } = await addKey({ accountId, role: 'READ_RUN' })
  t.equal((await call('GET', pages, { key })).status, 200)
  t.equal((await call('POST', pages, { key, body: { name: 'a', url: 'a', cards: [] } })).status, 403)
})
