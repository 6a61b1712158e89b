// Runs on both engines in test:all: parts of documents are read, and places are numbered.
/** The map of dependencies: in the API in parts, and as a page that stays small however many depend on one. */
import t, { type Test } from 'tap'
import { alertRoom } from '../../../../support/alert-room.ts'
import { sessionOf, visitPage } from '../../../../support/dashboard.ts'
import { engineNames } from '../../../../support/databases.ts'
import { byLength } from '../../../../support/length.ts'

for (const engine of engineNames) {
  const routed = async (t: Test) => {
    const room = await alertRoom(t, engine)
    const router = await room.addCheck({ name: 'router' })
    const shop = await room.addCheck({ name: 'shop', dependsOn: [{ checkId: router }] })
    const cart = await room.addCheck({ name: 'cart', dependsOn: [{ checkId: shop }] })
    return { ...room, router, shop, cart, cookie: await sessionOf(room) }
  }

  t.test(`what is down, what depends on it, and what is not told of (${engine})`, async (t) => {
    const room = await routed(t)
    const { router, shop, cart } = room
    const group = (
      await room.call('POST', '/v2/check-groups', {
        body: { name: 'back', dependsOn: [{ checkId: router }] },
      })
    ).body.id
    const stock = await room.addCheck({ name: 'stock', groupId: group })
    const jobs = await room.claim()
    for (const name of [router, shop, cart, stock]) {
      room.advance(1000)
      await room.report(
        jobs.filter(({ checkId }) => checkId === name),
        name === cart ? 'p' : 'f',
      )
    }
    const { body } = await room.call('GET', '/v1/dependencies')
    t.equal(body.nextId, null)
    const of = (name: string) => body.entries.find((one: { name: string }) => one.name === name)
    t.match(of('router'), {
      checkId: router,
      groupId: null,
      isDown: true,
      dependentsCount: 2,
      keptBackCount: 2,
    })
    t.strictSame(
      of('router').dependents.toSorted((a: { name: string }, b: { name: string }) =>
        a.name < b.name ? -1 : 1,
      ),
      [
        { checkId: null, groupId: group, name: 'back', isDown: true, keptBackCount: 1 },
        { checkId: shop, groupId: null, name: 'shop', isDown: true, keptBackCount: 1 },
      ],
    )
    t.match(of('shop'), { isDown: true, dependsOn: [{ checkId: router, name: 'router' }], keptBackCount: 0 })
    const { text, status } = await visitPage(room, room.cookie, '/app/dependencies')
    t.equal(status, 200)
    t.match(text, '2 checks behind it are not told of')
    t.match(text, new RegExp(`${router}.*${shop}.*${cart}`, 's'), 'one below the other')
  })

  t.test(`a thousand behind one are a count that opens (${engine})`, async (t) => {
    const room = await routed(t)
    const count = byLength({ short: 60, all: 120, long: 1000 })
    for (let made = 0; made < count; made++)
      await room.addCheck({ name: `behind ${made}`, dependsOn: [{ checkId: room.router }] })
    const first = await room.call('GET', '/v1/dependencies?limit=1')
    const second = await room.call('GET', `/v1/dependencies?limit=1&nextId=${first.body.nextId}`)
    const both = [...first.body.entries, ...second.body.entries]
    t.same(both.map(({ name }: { name: string }) => name).toSorted(), ['router', 'shop'])
    const parent = both.find(({ name }: { name: string }) => name === 'router')
    t.match(parent, { dependentsCount: count + 1 })
    t.equal(parent.dependents.length, 20)
    const found = new Set<string>()
    let next = ''
    do {
      const of = `/v1/dependencies/dependents?limit=50&checkId=${room.router}`
      const { body } = await room.call('GET', `${of}${next}`)
      for (const { checkId } of body.entries) found.add(checkId)
      next = body.nextId === null ? '' : `&nextId=${body.nextId}`
    } while (next !== '')
    t.equal(found.size, count + 1, 'each once')
    // The newest comes last, and has something behind it.
    const newest = await room.addCheck({ name: 'newest', dependsOn: [{ checkId: room.router }] })
    await room.addCheck({ name: 'last', dependsOn: [{ checkId: newest }] })
    const { text } = await visitPage(room, room.cookie, '/app/dependencies')
    t.match(text, `and ${count + 2 - 8} more`)
    t.match(text, `/app/checks/${newest}`, 'what has something behind it has its place')
    t.ok(text.length < 40_000, `${text.length} characters`)
    const opened = await visitPage(room, room.cookie, `/app/dependencies?check=${room.router}`)
    t.match(opened.text, 'rel="next"')
  })

  t.test(`who asks for one has to say which, and sees no others’ (${engine})`, async (t) => {
    const room = await routed(t)
    t.equal((await room.call('GET', '/v1/dependencies/dependents')).status, 400)
    t.equal(
      (await room.call('GET', `/v1/dependencies/dependents?checkId=${room.router}&groupId=1`)).status,
      400,
    )
    t.equal((await room.call('GET', '/v1/dependencies?nextId=none')).status, 400)
    const { apiKey } = await room.addKey()
    t.strictSame((await room.call('GET', '/v1/dependencies', { key: apiKey })).body.entries, [])
    const of = `/v1/dependencies/dependents?checkId=${room.router}`
    t.strictSame((await room.call('GET', of, { key: apiKey })).body.entries, [])
    const empty = await visitPage(room, room.cookie, '/app/dependencies?group=12')
    t.match(empty.text, 'Nothing depends on it.')
  })
}
