// Runs on both engines in test:all: its statements run in no other file.
/** The list of checks as an operator has it: history, reasons, sorting, states, search, and what is done with many. */
import { latestRuns } from '../../../../control-plane/monitoring/results/stored/latest-runs.ts'
import { eachEngine, type TestApp } from '../../../support/app.ts'
import { checkWith, sessionOf, setState, visitPage } from '../../../support/dashboard.ts'
import { storeCheck, storeResult } from '../../../support/stored-results.ts'

const namesIn = (text: string): string[] =>
  [...text.matchAll(/<td class="main"><a [^>]*>([^<]+)<\/a>/g)].map(([, name = '']) => name)

const listOf = async (plane: TestApp, cookie: string, search = ''): Promise<string[]> =>
  namesIn((await visitPage(plane, cookie, `/app/checks?${search}`)).text)

const three = async (plane: TestApp) => {
  const passing = await checkWith(plane, { name: 'alpha', state: 'passing' })
  plane.advance(1000)
  const failing = await checkWith(plane, {
    name: 'Gamma',
    state: 'failing',
    error: 'it refused the connection',
  })
  plane.advance(1000)
  const waiting = await storeCheck(plane, {
    name: 'Beta',
    doc: { request: { url: 'https://lamp.example/50%_off' } },
  })
  return { passing: passing.checkId, failing: failing.checkId, waiting }
}

eachEngine('each check has its latest runs, uptime, p95, and why it fails', async (t, plane) => {
  const cookie = await sessionOf(plane)
  const { failing } = await three(plane)
  const { text } = await visitPage(plane, cookie, '/app/checks')
  t.strictSame(namesIn(text), ['Gamma', 'Beta', 'alpha'], 'failing first, then what has not run')
  t.match(text, /aria-label="Latest 30 runs: 3 failing"/)
  t.match(text, /aria-label="Latest 30 runs: all passing"/)
  t.match(text, /aria-label="No run yet"/)
  t.match(text, 'it refused the connection')
  t.match(text, '<b>nobody is told</b>')
  t.match(text, /data-label="30 days">100 %</)
  t.match(text, /data-label="30 days">9\d\.\d\d %</)
  t.match(text, /data-label="p95">1\d\d ms</)
  const { body: channel } = await plane.call('POST', '/v1/alert-channels', {
    body: { type: 'EMAIL', config: { address: 'ada@example.com' } },
  })
  await plane.call('PUT', `/v1/alert-channels/${channel.id}/subscriptions`, {
    body: { checkId: failing, activated: true },
  })
  const told = (await visitPage(plane, cookie, '/app/checks')).text
  t.notMatch(told, '<b>nobody is told</b>')
  t.match(told, 'not told yet (Email)')
})

eachEngine('sorted by any column, either way; states with their numbers are filters', async (t, plane) => {
  const cookie = await sessionOf(plane)
  const { passing } = await three(plane)
  t.strictSame(await listOf(plane, cookie, 'sort=name'), ['alpha', 'Beta', 'Gamma'])
  t.strictSame(await listOf(plane, cookie, 'sort=-name'), ['Gamma', 'Beta', 'alpha'])
  t.strictSame(await listOf(plane, cookie, 'sort=lastRun'), ['Gamma', 'alpha', 'Beta'])
  t.strictSame(await listOf(plane, cookie, 'sort=uptime'), ['Gamma', 'alpha', 'Beta'], 'the worst first')
  t.strictSame(await listOf(plane, cookie, 'sort=-uptime'), ['alpha', 'Gamma', 'Beta'])
  t.strictSame(await listOf(plane, cookie, 'sort=-state'), ['alpha', 'Beta', 'Gamma'])
  t.strictSame(await listOf(plane, cookie, 'state=waiting'), ['Beta'])
  await plane.call('PUT', `/v1/checks/${passing}`, { body: { activated: false } })
  t.strictSame(await listOf(plane, cookie, 'state=passing'), [])
  t.strictSame(await listOf(plane, cookie, 'state=paused'), ['alpha'])
  const { text } = await visitPage(plane, cookie, '/app/checks')
  const counts = [...text.matchAll(/<a href="\/app\/checks[^"]*"[^>]*>([^<]+) <b>(\d+)<\/b>/g)].map(
    ([, word, count]) => `${word} ${count}`,
  )
  t.strictSame(counts, ['All 3', 'Failing 1', 'Not run yet 1', 'Paused 1'], 'they add up')
})

eachEngine('the API sorts and filters as the page does', async (t, plane) => {
  const ids: string[] = []
  for (const name of ['alpha', 'Gamma', 'Beta', 'Delta'])
    ids.push(
      (
        await plane.call('POST', '/v1/checks/url', {
          body: { name, request: { url: 'https://a.example/' }, privateLocations: ['local'] },
        })
      ).body.id,
    )
  await setState(plane, ids[1] ?? '', 'failing')
  plane.advance(1000)
  await setState(plane, ids[0] ?? '', 'passing')
  await plane.call('PUT', `/v1/checks/${ids[3]}`, { body: { activated: false } })
  const names = async (query: string): Promise<string[]> =>
    (await plane.call('GET', `/v1/checks?${query}`)).body.map(({ name }: { name: string }) => name)
  t.strictSame(await names('sortBy=name'), ['alpha', 'Beta', 'Delta', 'Gamma'])
  t.strictSame(await names('sortBy=state'), ['Gamma', 'Beta', 'alpha', 'Delta'])
  t.strictSame((await names('sortBy=lastRun')).slice(0, 2), ['alpha', 'Gamma'])
  t.strictSame(await names('sortBy=state&limit=1&page=2'), ['Beta'])
  t.strictSame(await names('status=waiting'), ['Beta'])
  t.strictSame(await names('activated=false'), ['Delta'])
})

eachEngine('whatever it is sorted by, its pages show every check once', async (t, plane) => {
  const cookie = await sessionOf(plane)
  for (let n = 0; n < 130; n++) {
    const id = await storeCheck(plane, { name: `check ${n % 7}` })
    if (n % 3 === 0) await setState(plane, id, n % 2 ? 'failing' : 'passing')
  }
  for (const sort of ['', '-state', 'name', '-name', 'lastRun', 'uptime']) {
    const first = (await visitPage(plane, cookie, `/app/checks?sort=${sort}`)).text
    const [, next = ''] = /rel="next" href="([^"]+)"/.exec(first) ?? []
    const second = (await visitPage(plane, cookie, next.replaceAll('&amp;', '&').replaceAll('&#38;', '&')))
      .text
    const ids = [first, second].flatMap((text) => [...text.matchAll(/name="checkIds\[\]" value="([^"]+)"/g)])
    t.equal(new Set(ids.map(([, id]) => id)).size, 130, `by ${sort || 'state'}`)
    t.equal(ids.length, 130)
  }
})

eachEngine('found by a part of the name, the address or a tag, and by the id', async (t, plane) => {
  const cookie = await sessionOf(plane)
  const { passing } = await three(plane)
  const { body: tagged } = await plane.call('POST', '/v1/checks/url', {
    body: {
      name: 'Delta',
      request: { url: 'https://d.example/' },
      tags: ['lamps-eu'],
      privateLocations: ['local'],
    },
  })
  const search = (text: string): Promise<string[]> =>
    listOf(plane, cookie, `search=${encodeURIComponent(text)}`)
  t.strictSame(await search('GAM'), ['Gamma'])
  t.strictSame(await search('lamp'), ['Beta', 'Delta'], 'an address and a tag')
  t.strictSame(await search('50%_off'), ['Beta'], 'as it is written')
  t.strictSame(await search('passing'), [], 'no other part of a document')
  t.strictSame(await search(passing), ['alpha'])
  t.match((await plane.call('GET', `/v1/checks?search=${tagged.id}`)).body, [{ name: 'Delta' }])
})

eachEngine('many at once: the ticked ones, or all that match', async (t, plane) => {
  const cookie = await sessionOf(plane)
  const { body: group } = await plane.call('POST', '/v2/check-groups', { body: { name: 'Shop' } })
  const { body: channel } = await plane.call('POST', '/v1/alert-channels', {
    body: { type: 'EMAIL', config: { address: 'ada@example.com' } },
  })
  for (const name of ['One', 'Two', 'Other'])
    await plane.call('POST', '/v1/checks/url', {
      body: { name, request: { url: 'https://a.example/' }, privateLocations: ['local'], tags: ['old'] },
    })
  const { body: before } = await plane.call('GET', '/v1/checks')
  const one = before.find(({ name }: { name: string }) => name === 'One').id
  const act = async (fields: Record<string, string>, search = ''): Promise<void> => {
    const answer = await visitPage(plane, cookie, `/app/checks/bulk?${search}`, fields)
    t.match(answer.location, /said=(saved|created)/, fields['_do'] ?? '')
  }
  await act({ 'checkIds[]': one, _do: 'tag', tag: 'new' })
  await act({ 'checkIds[]': one, _do: 'untag', tag: 'old' })
  await act({ 'checkIds[]': one, _do: 'group', group: String(group.id) })
  await act({ 'checkIds[]': one, _do: 'frequency', frequency: '5' })
  const told = { 'checkIds[]': one, channel: String(channel.id) }
  await act({ ...told, _do: 'unsubscribe' })
  t.strictSame(await listOf(plane, cookie, 'told=nobody'), ['One'])
  await act({ ...told, _do: 'subscribe' })
  t.strictSame(await listOf(plane, cookie, 'told=nobody'), [])
  t.match((await plane.call('GET', `/v1/checks/${one}`)).body, {
    tags: ['new'],
    groupId: group.id,
    frequency: 5,
  })
  await act({ 'checkIds[]': one, _do: 'clone' })
  t.match((await plane.call('GET', '/v1/checks?search=One+(copy)')).body, [
    { name: 'One (copy)', tags: ['new'], groupId: group.id, request: { url: 'https://a.example/' } },
  ])
  await act({ _all: 'yes', _do: 'pause' }, 'tag=old')
  t.strictSame(await listOf(plane, cookie, 'state=paused&sort=name'), ['Other', 'Two'])
  const asked = await visitPage(plane, cookie, '/app/checks/bulk?tag=old', { _all: 'yes', _do: 'delete' })
  t.match(asked.text, 'Delete 2 checks?')
  await visitPage(plane, cookie, '/app/checks/bulk?tag=old', { _all: 'yes', _do: 'really-delete' })
  t.strictSame(await listOf(plane, cookie, 'sort=name'), ['One', 'One (copy)'])
})

eachEngine('the latest runs come from few statements, whatever the period they are in', async (t, plane) => {
  const { app } = plane
  const checkId = await storeCheck(plane, {})
  const now = app.clock.now()
  const day = 86_400_000
  for (let n = 0; n < 12; n++)
    await storeResult(plane, {
      ...{ checkId, at: now - (12 - n) * 3 * day, hasFailures: n === 11, isDegraded: n === 10 },
      ...(n === 5 ? { isCancelled: true } : {}),
    })
  const span = { ids: [checkId], to: now, perCheck: 8 }
  const states = async (from: number) =>
    ((await latestRuns(app.db, { ...span, from })).get(checkId) ?? []).map(({ state }) => state)
  t.strictSame(await states(now - 40 * day), [
    ...Array.from({ length: 6 }, () => 'passing'),
    'degraded',
    'failing',
  ])
  t.strictSame(await states(now - 7 * day), ['degraded', 'failing'])
})

eachEngine(
  'by group: sums of each, what is open by the address, and what is in no group',
  async (t, plane) => {
    const cookie = await sessionOf(plane)
    const { body: shop } = await plane.call('POST', '/v2/check-groups', { body: { name: 'Shop' } })
    const { body: office } = await plane.call('POST', '/v2/check-groups', { body: { name: 'Office' } })
    const make = async (name: string, more: object): Promise<string> =>
      (
        await plane.call('POST', '/v1/checks/url', {
          body: { name, request: { url: 'https://a.example/' }, privateLocations: ['local'], ...more },
        })
      ).body.id
    await setState(plane, await make('Checkout', { groupId: shop.id, muted: true }), 'failing')
    await setState(plane, await make('Search', { groupId: shop.id, description: '"muted":true' }), 'passing')
    await setState(plane, await make('Printer', { groupId: office.id }), 'passing')
    await make('Alone', {})
    const sums = (text: string): string[] =>
      [...text.matchAll(/<a class="fold"[^>]*>([^<]*)<\/a>.*?<span class="sums">(.*?)<\/span>/g)].map(
        ([, name, words = '']) => `${name} ${words.replace(/<[^>]*>/g, '')}`,
      )
    const folded = (await visitPage(plane, cookie, '/app/checks?view=groups')).text
    t.strictSame(sums(folded), [
      'Shop 2 checks: 1 failing · 1 passing · 1 muted',
      'Office 1 check: all passing',
      'In no group 1 check: 1 not run yet',
    ])
    t.strictSame(namesIn(folded), [], 'what is folded is not read')
    const open = (await visitPage(plane, cookie, `/app/checks?view=groups&open=${shop.id}.none`)).text
    t.strictSame(
      [...open.matchAll(/href="\/app\/checks\/[0-9a-f-]{36}" dir="auto">([^<]+)/g)].map(([, n]) => n),
      ['Checkout', 'Search', 'Alone'],
    )
    t.match(open, /aria-expanded="true"/)
    t.strictSame(
      sums((await visitPage(plane, cookie, '/app/checks?view=groups&state=failing')).text),
      ['Shop 1 check: 1 failing · 1 muted'],
      'filters hold here, too',
    )
    t.strictSame(await listOf(plane, cookie, 'group=none'), ['Alone'])
    const page = (await visitPage(plane, cookie, `/app/groups/${shop.id}`)).text
    t.match(page, '2 checks: ')
    t.strictSame(namesIn(page), ['Checkout', 'Search'])
    t.equal((await visitPage(plane, cookie, '/app/groups/9999')).status, 404)
  },
)

eachEngine(
  'all that match, in pieces of a thousand: each is said, and the next begins behind it',
  async (t, plane) => {
    const cookie = await sessionOf(plane)
    for (let n = 0; n < 1003; n++) await storeCheck(plane, { name: `check ${n}` })
    const act = { _all: 'yes', _do: 'unsubscribe', channel: '' }
    const { body: channel } = await plane.call('POST', '/v1/alert-channels', {
      body: { type: 'EMAIL', config: { address: 'ada@example.com' } },
    })
    const fields = { ...act, channel: String(channel.id) }
    const first = await visitPage(plane, cookie, '/app/checks/bulk?search=check', fields)
    t.match(first.text, '1,000 are done')
    const hidden = [...first.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
    const next = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]))
    t.match(next, { _all: 'yes', _done: '1000', channel: String(channel.id) })
    const second = await visitPage(plane, cookie, '/app/checks/bulk?search=check', {
      ...next,
      _do: 'unsubscribe',
    })
    t.match(second.location, /said=saved/, 'the last three')
    const { body } = await plane.call('GET', `/v1/alert-channels/${channel.id}`)
    t.equal(body.subscriptions.length, 1003, 'each was reached once')
  },
)
