// Runs on both engines in test:all: its statements run in no other file.
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { checksAfter } from '../../../../control-plane/monitoring/definitions/checks/list-queries.ts'
import { dashboardScript } from '../../../../control-plane/pages/assets/all.ts'
import { alertRoom } from '../../../support/alert-room.ts'
import { eachEngine, testApp } from '../../../support/app.ts'
import { checkWith, sessionOf, setState, visitPage } from '../../../support/dashboard.ts'
import { storeCheck, storeResult } from '../../../support/stored-results.ts'

eachEngine(
  'failing checks come first, with their reason, and counts are those of the states',
  async (t, plane) => {
    const cookie = await sessionOf(plane)
    await checkWith(plane, { name: 'Fine', state: 'passing' })
    await checkWith(plane, { name: 'Slow', state: 'degraded' })
    const { checkId } = await checkWith(plane, {
      name: 'Broken',
      state: 'failing',
      error: 'it refused https://u:pw@x.example/',
    })
    const { status, text } = await visitPage(plane, cookie, '/app')
    t.equal(status, 200)
    t.ok(text.indexOf('Broken') < text.indexOf('Slow'))
    t.notMatch(text, '>Fine<')
    t.match(text, `/app/checks/${checkId}`)
    t.match(text, 'it refused')
    t.notMatch(text, 'u:pw')
    t.match(text, /<b>1<\/b><span>Failing/)
    t.match(text, /<b>3<\/b><span>Checks in all/)
    t.match(text, 'without an agent')
    await plane.call('PUT', `/v1/private-locations/${plane.locationId}`, { body: { name: 'Frankfurt' } })
    const named = (await visitPage(plane, cookie, '/app')).text
    t.match(named, /Broken<\/a>[^\n]*, Frankfurt</, 'a location by its name')
    const sessions = await visitPage(plane, cookie, '/app/check-sessions')
    t.equal(sessions.status, 200)
  },
)

eachEngine('the list is read by keyset: every check once, whatever its age', async (t, plane) => {
  const { app, accountId } = plane
  const ids: string[] = []
  for (let position = 0; position < 25; position++) {
    ids.push(await storeCheck(plane, { name: `check ${position}`, activated: position !== 3 }))
    // Several of one moment: then the id decides.
    if (position % 5 === 0) plane.advance(1)
  }
  const seen: string[] = []
  let after: { createdAt: number; id: string } | undefined
  for (let page = 0; page < 10; page++) {
    const rows = await checksAfter(app.db, { accountId }, { after, limit: 4 })
    seen.push(...rows.map(({ id }) => id))
    const last = rows.at(-1)
    if (last === undefined) break
    after = { createdAt: last.created_at, id: last.id }
  }
  t.strictSame(seen.toSorted(), ids.toSorted())
  const paused = await checksAfter(app.db, { accountId, activated: false }, { after: undefined, limit: 10 })
  t.strictSame(
    paused.map(({ name }) => name),
    ['check 3'],
  )
})

eachEngine('filters are in the address', async (t, plane) => {
  const cookie = await sessionOf(plane)
  const alpha = {
    name: 'Alpha',
    request: { url: 'https://a.example/' },
    privateLocations: ['local'],
    tags: ['shop'],
  }
  await plane.call('POST', '/v1/checks/url', { body: alpha })
  await checkWith(plane, {
    name: 'Beta',
    state: 'failing',
    type: 'TCP',
    doc: { request: { hostname: 'b.example', port: 1 } },
  })
  const rows = async (search: string): Promise<string[]> => {
    const { text } = await visitPage(plane, cookie, `/app/checks?${search}`)
    return ['Alpha', 'Beta'].filter((name) => text.includes(`>${name}</a>`))
  }
  t.strictSame(await rows(''), ['Alpha', 'Beta'])
  t.strictSame(await rows('search=alp'), ['Alpha'])
  t.strictSame(await rows('state=failing'), ['Beta'])
  t.strictSame(await rows('type=TCP'), ['Beta'])
  t.strictSame(await rows('tag=shop'), ['Alpha'])
  t.strictSame(await rows('state=paused'), [])
  t.strictSame(
    await rows('state=%27&type=x&after=zz&group=-1'),
    ['Alpha', 'Beta'],
    'nonsense filters nothing',
  )
})

t.test('many are changed at once, and deleted only after a question', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const ids: string[] = []
  for (const name of ['One', 'Two'])
    ids.push(
      (
        await plane.call('POST', '/v1/checks/url', {
          body: { name, request: { url: 'https://a.example/' }, privateLocations: ['local'] },
        })
      ).body.id,
    )
  const bulk = (act: string) => {
    const form = new URLSearchParams(ids.map((id): [string, string] => ['checkIds[]', id]))
    form.set('_do', act)
    return visitPage(plane, cookie, '/app/checks/bulk', form)
  }
  const states = async () =>
    (await plane.call('GET', '/v1/checks')).body.map(({ activated, muted }: Record<string, boolean>) => [
      activated,
      muted,
    ])
  t.match((await bulk('pause')).location, 'said=saved')
  t.strictSame(await states(), [
    [false, false],
    [false, false],
  ])
  await bulk('resume')
  await bulk('mute')
  t.strictSame(await states(), [
    [true, true],
    [true, true],
  ])
  t.equal((await bulk('run')).location, '/app/check-sessions?said=started')
  const asked = await bulk('delete')
  t.match(asked.text, 'Delete 2 checks?')
  t.equal((await states()).length, 2)
  t.match((await bulk('really-delete')).location, 'said=deleted')
  t.strictSame(await states(), [])

  const { entries } = (await plane.call('GET', '/v1/audit-log')).body
  const saidOf = (action: string) =>
    entries
      .filter((entry: { action: string }) => entry.action === action)
      .map(({ resourceId, before, after }: Record<string, unknown>) => [resourceId, before, after])
  t.match(saidOf('PATCH /v1/checks/:id').slice(-2), [
    [ids[1], { activated: true }, { activated: false }],
    [ids[0], { activated: true }, { activated: false }],
  ])
  t.match(saidOf('DELETE /v1/checks/:id'), [
    [ids[1], { name: 'Two' }, null],
    [ids[0], { name: 'One' }, null],
  ])
  t.equal(saidOf('POST /v2/check-sessions/trigger').length, 1)
  t.strictSame(saidOf('POST /app/checks/bulk'), [], 'each has its own entry')
})

t.test('the list is exported as it is filtered, and no spreadsheet runs what it says', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  await checkWith(plane, { name: '=HYPERLINK("x")', state: 'failing' })
  await checkWith(plane, { name: 'Other: "quoted"\n- a', state: 'passing' })
  const csv = await visitPage(plane, cookie, '/app/checks/export/csv?state=failing')
  t.match(csv.headers.get('content-disposition'), 'checks.csv')
  t.match(csv.text, `"'=HYPERLINK(""x"")"`)
  t.notMatch(csv.text, 'Other')
  const json = JSON.parse((await visitPage(plane, cookie, '/app/checks/export/json')).text)
  t.strictSame(
    json.map(({ name }: { name: string }) => name),
    ['=HYPERLINK("x")', 'Other: "quoted"\n- a'],
  )
  const yaml = (await visitPage(plane, cookie, '/app/checks/export/yaml')).text
  t.match(yaml, '  name: "Other: \\"quoted\\"\\n- a"\n')
  t.equal((await visitPage(plane, cookie, '/app/checks/export/__proto__')).status, 404)
})

t.test('the page of a check, of a run and of another account', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const { checkId, resultId } = await checkWith(plane, {
    name: 'Broken',
    state: 'failing',
    error: 'no answer',
  })
  const check = await visitPage(plane, cookie, `/app/checks/${checkId}`)
  t.equal(check.status, 200)
  for (const part of [
    '90 days',
    'Why did it alert',
    '<h2>Runs</h2>',
    '<svg class="chart"',
    'The same as a table',
  ])
    t.match(check.text, part)
  t.match(
    (await visitPage(plane, cookie, `/app/checks/${checkId}?range=month`)).text,
    /aria-current="true">30 d</,
  )
  const run = await visitPage(plane, cookie, `/app/runs/${checkId}/${resultId}`)
  t.match(run.text, 'no answer')
  const other = await plane.addKey()
  const stranger = await sessionOf({ ...plane, accountId: other.accountId })
  for (const path of [
    `/app/checks/${checkId}`,
    `/app/runs/${checkId}/${resultId}`,
    `/app/do/delete/v1/checks/${checkId}`,
  ])
    if (path.includes('/do/'))
      t.equal((await visitPage(plane, stranger, path, { _do: 'save' })).status, 404, path)
    else t.equal((await visitPage(plane, stranger, path)).status, 404, path)
})

t.test('the days of a check that has just begun follow its runs', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const checkId = await storeCheck(plane)
  const days = async (): Promise<string> =>
    /id="days".*?<\/section>/s.exec((await visitPage(plane, cookie, `/app/checks/${checkId}`)).text)?.[0] ??
    ''
  t.match(await days(), 'No runs yet.')
  const run = { checkId, at: plane.app.clock.now() - 1000 }
  await storeResult(plane, run)
  t.match(await days(), '100 % of the runs passed')
  await storeResult(plane, { ...run, hasFailures: true })
  t.match(await days(), '50 % of the runs passed')
})

t.test('an open alert is answered from the page of its check', async (t) => {
  const room = await alertRoom(t, 'sqlite')
  const cookie = await sessionOf(room)
  const checkId = await room.addCheck({ name: 'Shop' })
  const page = `/app/checks/${checkId}`
  await room.run('p')
  t.notMatch((await visitPage(room, cookie, page)).text, 'Acknowledge</button>', 'all is well')
  await room.run('f')
  const { text } = await visitPage(room, cookie, page)
  const [, action = ''] = /action="([^"]*\/acknowledge[^"]*)"/.exec(text) ?? []
  const answered = await visitPage(room, cookie, action.replaceAll('&amp;', '&'), {})
  t.equal(answered.location, `${page}?said=done`)
  t.match((await visitPage(room, cookie, page)).text, 'Acknowledged by')
  await visitPage(room, cookie, `/app/do/delete/v1/check-alerts/${checkId}/response`, {})
  t.match((await visitPage(room, cookie, page)).text, 'Acknowledge</button>')

  const [{ id: resultId }] = (await room.call('GET', `/v2/check-results/${checkId}`)).body.entries
  const run = `/app/runs/${checkId}/${resultId}`
  const [, fromRun = ''] =
    /action="([^"]*\/acknowledge[^"]*)"/.exec((await visitPage(room, cookie, run)).text) ?? []
  const answeredThere = await visitPage(room, cookie, fromRun.replaceAll('&amp;', '&'), {})
  t.equal(answeredThere.location, `${run}?said=done`, 'and from the page of a run')
  t.match((await visitPage(room, cookie, run)).text, 'Acknowledged by')
  await visitPage(room, cookie, `/app/do/delete/v1/check-alerts/${checkId}/response`, {})
  const reader = await sessionOf(room, 'READ_ONLY')
  for (const each of [page, run])
    t.notMatch((await visitPage(room, reader, each)).text, 'Acknowledge</button>', each)
  await room.run('p')
  t.notMatch((await visitPage(room, cookie, run)).text, 'Its alert is open')
})

t.test('a stream says ids of the own account, and there are only so many', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const open = () => {
    const ending = new AbortController()
    t.teardown(() => ending.abort())
    return fetch(`${plane.url}/app/events`, { headers: { cookie }, signal: ending.signal })
  }
  const first = await open()
  t.match(first.headers.get('content-type'), 'text/event-stream')
  const reader = first.body?.getReader()
  const text = async (): Promise<string> => new TextDecoder().decode((await reader?.read())?.value)
  t.match(await text(), 'retry:')
  for (let more = 0; more < 7; more++) t.equal((await open()).status, 200)
  t.equal((await open()).status, 503)
})

t.test('budgets: a page of 100 checks and the script', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  for (let position = 0; position < 120; position++)
    await setState(
      plane,
      await storeCheck(plane, {
        name: `Check of service ${position}`,
        doc: { tags: ['shop', `t${position}`] },
      }),
      position % 2 ? 'failing' : 'passing',
    )
  for (const path of ['/app', '/app/checks']) {
    const { text } = await visitPage(plane, cookie, path)
    t.ok(gzipSync(text).length <= 40 * 1024, path)
    t.ok(text.length <= 150 * 1024, path)
  }
  t.ok(dashboardScript.gzip.length <= 5 * 1024)
  const { text } = await visitPage(plane, cookie, '/app/checks')
  t.equal(text.match(/type="checkbox" name="checkIds/g)?.length, 100)
  t.match(text, 'rel="next"')
})

t.test('an invite is sent again or withdrawn, a member changed or removed', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const { body: invite } = await plane.call('POST', '/v1/accounts/me/invites', {
    body: { email: 'ada@example.com', role: 'READ_ONLY' },
  })
  const { text } = await visitPage(plane, cookie, '/app/members')
  const row = text.split('<tr>').find((each) => each.includes('ada@example.com')) ?? ''
  t.match(row, `/app/do/post/v1/accounts/me/invites/${invite.id}/resend`)
  t.match(row, `/app/do/delete/v1/accounts/me/invites/${invite.id}`)
  t.notMatch(row, '/members/', 'there is no member yet')
})
