// Runs on both engines: each list is searched by a statement of its own, and texts are compared in any case by each engine in its own way.
/** Lists of channels, groups, locations, status pages and maintenance windows are searched, in the API and on their pages. */
import { eachEngine, type TestApp } from '../../../support/app.ts'
import { sessionOf, visitPage } from '../../../support/dashboard.ts'

const window = {
  startsAt: '2026-02-01T00:00:00Z',
  endsAt: '2026-02-01T01:00:00Z',
  repeatUnit: null,
  pauseAllChecks: true,
}

type Item = { id: unknown }

type List = {
  page: string
  path: string
  create?: string
  bodies: readonly [sought: object, other: object]
  searches: readonly string[]
  itemsIn?: (body: never) => Item[]
}

const lists: readonly List[] = [
  {
    ...{ page: '/app/channels', path: '/v1/alert-channels' },
    bodies: [
      { type: 'EMAIL', config: { address: 'Night_Shift@example.com' } },
      { type: 'SMS', config: { number: '+4915112345678' } },
    ],
    searches: ['night_shift', 'EXAMPLE.com', 'email'],
  },
  {
    ...{ page: '/app/groups', path: '/v1/check-groups', create: '/v2/check-groups' },
    bodies: [
      { name: 'Shop 50%', tags: ['Storefront'] },
      { name: 'Other 50', tags: ['name'] },
    ],
    searches: ['shop', '50%', 'storeF'],
  },
  {
    ...{ page: '/app/locations', path: '/v1/private-locations' },
    bodies: [
      { name: 'Office "north"', slugName: 'office-1' },
      { name: 'Cellar', slugName: 'cellar' },
    ],
    searches: ['office "N', 'OFFICE-1'],
  },
  {
    ...{ page: '/app/status-pages', path: '/v1/status-pages' },
    bodies: [
      { name: 'Café', url: 'coffee', cards: [] },
      { name: 'Tea', url: 'tea', cards: [] },
    ],
    searches: ['caf', 'COFF', 'é'],
    itemsIn: ({ entries }: { entries: Item[] }) => entries,
  },
  {
    ...{ page: '/app/maintenance', path: '/v1/maintenance-windows' },
    bodies: [
      { ...window, name: 'Patch day', tags: ['linux'] },
      { ...window, name: 'Move', tags: ['rack'] },
    ],
    searches: ['PATCH', 'lin'],
  },
]

const fill = async (plane: TestApp, { path, create = path, bodies }: List): Promise<unknown> => {
  const ids: unknown[] = []
  for (const body of bodies) {
    const { status, body: answer } = await plane.call('POST', create, { body })
    if (status !== 201) throw new Error(`${create}: ${status} ${JSON.stringify(answer)}`)
    ids.push(answer.id)
  }
  return ids[0]
}

for (const list of lists)
  eachEngine(`${list.path} is searched, in any case`, async (t, plane) => {
    const sought = await fill(plane, list)
    const { path, page, itemsIn = (body: Item[]) => body } = list
    const find = async (search: string) => {
      const { status, body, headers } = await plane.call(
        'GET',
        `${path}?search=${encodeURIComponent(search)}`,
      )
      t.equal(status, 200, search)
      return { items: itemsIn(body as never), range: headers.get('content-range') }
    }
    const { items: all, range } = await find('')
    t.ok(all.length >= 2)
    for (const search of list.searches) {
      const found = await find(search)
      t.strictSame(
        found.items.map(({ id }) => id),
        [sought],
        search,
      )
      if (range !== null) t.equal(found.range, '0-0/1', 'what is counted is what was found')
    }
    t.strictSame((await find('not there')).items, [])
    t.equal((await plane.call('GET', `${path}?search=${'a'.repeat(256)}`)).status, 400, 'it is bounded')

    const cookie = await sessionOf(plane)
    const rowsOf = (text: string): number => [...text.matchAll(/<td class="main"/g)].length
    const [search = ''] = list.searches
    const address = `${page}?search=${encodeURIComponent(search)}`
    const { text } = await visitPage(plane, cookie, address)
    t.equal(rowsOf(text.split('</table>')[0] ?? ''), 1, 'the page shows what was found')
    t.match(text, `<form class="filters" method="get" action="${page}">`)
    t.match(
      (await visitPage(plane, cookie, `${page}?search=not+there`)).text,
      'Nothing is called “not there”.',
    )
  })

eachEngine('the next page of a list that is searched is one of what was found', async (t, plane) => {
  for (let index = 0; index < 53; index++)
    await plane.call('POST', '/v2/check-groups', { body: { name: index < 52 ? `one ${index}` : 'two' } })
  const cookie = await sessionOf(plane)
  const { text } = await visitPage(plane, cookie, '/app/groups?search=one')
  const [, next = ''] = /rel="next" href="([^"]+)"/.exec(text) ?? []
  t.equal(next, '?search=one&amp;at=2')
  const second = await visitPage(plane, cookie, `/app/groups${next.replace('&amp;', '&')}`)
  t.strictSame(second.text.match(/one 5\d/g), ['one 50', 'one 51'])
  t.notMatch(second.text, '>two<')
})
