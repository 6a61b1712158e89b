// Runs on both engines in test:all: its statements run in no other file.
/** What people get from a dashboard: its checks, its key, its parts, its incidents. */
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { dashboardDomainTick } from '../../../../control-plane/communication/dashboards/dashboard-domain.ts'
import { eachEngine, type TestApp, testApp } from '../../../support/app.ts'
import { setState } from '../../../support/dashboard.ts'
import { hosted } from '../../../support/visitor.ts'

const addChecks = async (
  { call }: TestApp,
  names: readonly string[],
  more: object = {},
): Promise<string[]> => {
  const ids: string[] = []
  for (const name of names) {
    const body = { name, request: { url: 'https://shop.example/' }, ...more }
    const answer = await call('POST', '/v1/checks/url', { body })
    if (answer.status !== 201) throw new Error(answer.text)
    ids.push(answer.body.id)
  }
  return ids
}

const addBoard = async ({ call }: TestApp, options: object = {}) => {
  const answer = await call('POST', '/v1/dashboards', {
    body: { header: 'Wall', customUrl: 'wall', ...options },
  })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body
}

const look = (plane: TestApp, query = '', headers: Record<string, string> = {}) =>
  fetch(`${plane.url}/dashboards/wall${query}`, { headers, redirect: 'manual' })

const shown = (text: string): string[] =>
  [...text.matchAll(/class="name"><b dir="auto">([^<]*)</g)].map(([, name = '']) => name)

eachEngine('it shows the checks that have its tags, or whose group has', async (t, plane) => {
  const { call } = plane
  const group = await call('POST', '/v1/check-groups', { body: { name: 'Payments', tags: ['shop'] } })
  await addChecks(plane, ['own <b>'], { tags: ['shop', 'eu'] })
  await addChecks(plane, ['grouped'], { groupId: group.body.id })
  await addChecks(plane, ['other'], { tags: ['mail'] })
  await addChecks(plane, ['paused'], { tags: ['shop'], activated: false })
  const { dashboardId } = await addBoard(plane, { tags: ['shop'] })
  const page = await look(plane)
  t.equal(page.status, 200)
  const text = await page.text()
  t.strictSame(shown(text), ['own &lt;b&gt;', 'grouped'])
  t.match(text, /Payments/)
  t.match(text, /class="tag"[^>]*>eu</)
  t.match(text, /Nothing was run yet/)
  const change = async (body: object) => {
    await call('PUT', `/v1/dashboards/${dashboardId}`, { body })
    return (await look(plane)).text()
  }
  t.strictSame(shown(await change({ tags: ['shop', 'eu'], useTagsAndOperator: true })), ['own &lt;b&gt;'])
  const bare = await change({ tags: [], hideTags: true, showGroupNames: false, showP99: false })
  t.strictSame(shown(bare), ['own &lt;b&gt;', 'grouped', 'other'], 'without tags: all')
  t.notMatch(bare, /class="tag"|Payments|p99/)
  t.notMatch(bare, /\/app\/checks/)
  const open = await change({ expandChecks: true, showCheckRunLinks: true, showHeader: false })
  t.match(open, /<details open>/)
  t.match(open, /href="\/app\/checks\//)
  t.notMatch(open, /<header>/)
})

eachEngine('what is worst is said, and comes first where it is asked for', async (t, plane) => {
  const [, second = ''] = await addChecks(plane, ['good', 'bad'])
  await addBoard(plane, { sortByStatus: true })
  await setState(plane, second, 'failing')
  const text = await (await look(plane)).text()
  t.match(text, /1 check fails/)
  t.strictSame(shown(text), ['bad', 'good'])
})

t.test('parts turn by the clock; who chooses one stays there', async (t) => {
  const plane = await testApp(t)
  await addChecks(plane, ['a', 'b', 'c'])
  await addBoard(plane, { checksPerPage: 2, paginationRate: 60, refreshRate: 40 })
  const first = await look(plane)
  t.equal(first.headers.get('refresh'), '40')
  t.strictSame(shown(await first.text()), ['a', 'b'])
  plane.advance(50_000)
  t.equal((await look(plane)).headers.get('refresh'), '10', 'until the next part')
  plane.advance(10_000)
  t.strictSame(shown(await (await look(plane)).text()), ['c'])
  const chosen = await look(plane, '?page=1')
  t.equal(chosen.headers.get('refresh'), '40')
  t.strictSame(shown(await chosen.text()), ['a', 'b'])
  t.equal((await look(plane, '?page=2&still=true')).headers.get('refresh'), null)
  t.strictSame(shown(await (await look(plane, '?page=99')).text()), ['c'], 'the last one')
})

t.test('it is small, cached, in the language of who looks, and runs no script', async (t) => {
  const plane = await testApp(t)
  await addChecks(
    plane,
    Array.from({ length: 40 }, (_, at) => `Check ${at}`),
    { tags: ['shop', 'eu'] },
  )
  await addBoard(plane, { checksPerPage: 20, description: 'All of it' })
  const answer = await look(plane)
  const text = await answer.text()
  const bytes = gzipSync(text).length
  t.comment(`${bytes} bytes`)
  t.ok(bytes < 17_000, `${bytes} bytes`)
  t.strictSame([...text.matchAll(/(?:src|href)="(\/assets[^"]*)"/g)].length, 1, 'and its icon')
  t.notMatch(text, /<script/)
  const etag = answer.headers.get('etag') ?? ''
  t.equal((await look(plane, '', { 'if-none-match': etag })).status, 304)
  t.match(await (await look(plane, '', { accept: 'text/html', 'accept-language': 'de' })).text(), /30 Tage/)
  t.equal((await fetch(`${plane.url}/dashboards/nowhere`)).status, 404)
})

eachEngine('a private one asks for its key', async (t, plane) => {
  await addChecks(plane, ['secret'])
  const { keys, dashboardId } = await addBoard(plane, {
    isPrivate: true,
    description: 'inner',
    customCSS: 'h1{}',
  })
  const closed = await look(plane)
  t.equal(closed.status, 401)
  t.notMatch(await closed.text(), /secret|inner/)
  t.equal((await look(plane, '/style.css')).status, 401)
  const open = (password: string) =>
    fetch(`${plane.url}/dashboards/wall/open`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: plane.url, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ password }).toString(),
    })
  t.equal((await open('sp_wrong')).status, 401)
  const opened = await open(keys[0].rawKey)
  t.equal(opened.status, 303)
  t.equal(opened.headers.get('location'), '/dashboards/wall')
  const cookie = opened.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
  const seen = await look(plane, '', { cookie })
  t.equal(seen.status, 200)
  t.match(seen.headers.get('cache-control'), /private/)
  t.match(await seen.text(), /secret/)
  for (const isPrivate of [false, true])
    await plane.call('PUT', `/v1/dashboards/${dashboardId}`, { body: { isPrivate } })
  t.equal((await look(plane, '', { cookie })).status, 401, 'a new key ends it')
})

eachEngine('its incidents are shown where it says so', async (t, plane) => {
  const { call } = plane
  const { id, dashboardId } = await addBoard(plane)
  const incident = async (name: string, more: object = {}, status = 'INVESTIGATING') =>
    call('POST', '/v1/incidents', {
      body: { name, dashboardId: id, incidentUpdates: [{ status, description: `about ${name}` }], ...more },
    })
  await incident('Going on', { impact: 'MAJOR' })
  plane.advance(1000)
  await incident('Over and done', {}, 'RESOLVED')
  t.notMatch(await (await look(plane)).text(), /Going on/)
  await call('PUT', `/v1/dashboards/${dashboardId}`, { body: { enableIncidents: true } })
  const text = await (await look(plane)).text()
  t.match(text, /Going on[\s\S]*Major · Investigating[\s\S]*about Going on[\s\S]*Over and done[\s\S]*· Over</)
})

t.test('a style sheet of its owner is a file of its own, and loads nothing', async (t) => {
  const plane = await testApp(t)
  await addBoard(plane, { customCSS: '.rows > li { color: teal }' })
  const answer = await look(plane)
  const [, href = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(await answer.text()) ?? []
  t.match(answer.headers.get('content-security-policy'), /default-src 'none'; style-src 'self'/)
  const sheet = await fetch(`${plane.url}${href}`)
  t.match(sheet.headers.get('content-type'), /text\/css/)
  t.equal(await sheet.text(), '.rows > li { color: teal }')
})

const ofDomain = async (t: Test, plane: TestApp): Promise<void> => {
  await addChecks(plane, ['a'])
  const { domain } = await addBoard(plane, { customDomain: 'wall.shop.example' })
  t.equal((await hosted(plane, '/', 'wall.shop.example')).status, 404, 'not before it is proven')
  const [{ name, value }] = domain.records
  const domainRecords = {
    txt: async (asked: string) => (asked === name ? [value] : []),
    cname: async () => [],
  }
  await dashboardDomainTick({ ...plane.app, domainRecords })
  plane.advance(3000)
  const page = await hosted(plane, '/', 'wall.shop.example')
  t.equal(page.status, 200)
  t.match(page.text, /href="\/\?page=1/)
  t.equal((await hosted(plane, '/?page=1', 'wall.shop.example')).status, 200)
  t.equal(
    (await hosted(plane, '/v1/dashboards', 'wall.shop.example')).status,
    404,
    'and nothing else of ours',
  )
}

eachEngine('on a domain of its own once that is proven', ofDomain)
