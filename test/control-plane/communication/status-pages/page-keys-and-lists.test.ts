import t from 'tap'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

const pages = '/v1/status-pages'

for (const engine of engineNames) {
  t.test(`a private page's password is generated, shown once and stored as a hash (${engine})`, async (t) => {
    const { call, app } = await testApp(t, { engine })
    const body = { name: 'a', url: 'a', cards: [] }
    const created = await call('POST', pages, { body: { ...body, isPrivate: true } })
    const [key] = created.body.keys
    t.match(key.rawKey, /^sp_[0-9a-f]{32}$/)
    t.equal(key.maskedKey, `…${key.rawKey.slice(-4)}`)
    const one = `${pages}/${created.body.id}`
    const { rawKey, ...masked } = key
    t.strictSame((await call('GET', one)).body.keys, [masked], 'never again')
    t.strictSame((await call('GET', pages)).body.entries[0].keys, [masked])
    t.strictSame((await call('PUT', one, { body })).body.keys, [masked], 'a change keeps it')
    const stored = await app.db.select((k) => k.selectFrom('status_page_keys').selectAll())
    t.notMatch(JSON.stringify(stored), rawKey)
    t.strictSame((await call('PUT', one, { body: { ...body, isPrivate: false } })).body.keys, [])
    const rotated = await call('PUT', one, { body: { ...body, isPrivate: true } })
    t.match(rotated.body.keys[0].rawKey, /^sp_/)
    t.not(rotated.body.keys[0].rawKey, rawKey, 'off and on again makes a new one')
  })

  t.test(`the list is paged by cursor, 20 by default, and stable under inserts (${engine})`, async (t) => {
    const { call, advance } = await testApp(t, { engine })
    const add = (name: string) => call('POST', pages, { body: { name, url: name, cards: [] } })
    for (let index = 0; index < 22; index++) {
      await add(`page-${index}`)
      if (index % 3 === 0) advance(1)
    }
    const first = await call('GET', pages)
    t.equal(first.body.length, 20)
    await add('late')
    const second = await call('GET', `${pages}?nextId=${first.body.nextId}`)
    t.equal(second.body.nextId, null)
    const all = [...first.body.entries, ...second.body.entries].map(({ id }: { id: string }) => id)
    t.equal(all.length, 23)
    t.equal(new Set(all).size, 23)
    t.equal((await call('GET', `${pages}?nextId=nonsense`)).status, 400)
    t.equal((await call('GET', `${pages}?limit=101`)).status, 400)
  })

  t.test(`of two who change one page, the later notices with If-Match (${engine})`, async (t) => {
    const { call } = await testApp(t, { engine })
    const created = await call('POST', pages, { body: { name: 'a', url: 'a', cards: [] } })
    const one = `${pages}/${created.body.id}`
    const headers = { 'if-match': created.headers.get('etag') ?? '' }
    const put = (name: string) => call('PUT', one, { headers, body: { name, url: 'a', cards: [] } })
    const both = await Promise.all([put('b'), put('c')])
    t.strictSame(both.map(({ status }) => status).sort(), [200, 412])
  })
}
