// Runs on both engines in test:all: its statements run in no other file.
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { addChannel, dispatch, loopbackEnv } from '../../../support/alerting.ts'
import { eachEngine, type TestApp, testApp } from '../../../support/app.ts'
import { checkWith, sessionOf, visitPage } from '../../../support/dashboard.ts'
import { receiver } from '../../../support/receiver.ts'
import { storeCheck } from '../../../support/stored-results.ts'
import { work } from '../../../support/work.ts'

const minute = 60_000

/** Fails, is told to two channels of which one does not answer well, and recovers after ten minutes. */
const outage = async (plane: TestApp, origin: string): Promise<string> => {
  const { call, app, advance } = plane
  await addChannel(plane, 'WEBHOOK', { name: 'Night shift', url: `${origin}/good` })
  await addChannel(plane, 'SLACK', { url: `${origin}/bad` })
  const { body } = await call('POST', '/v1/checks/url', {
    body: {
      ...{ name: 'Shop <b>', request: { url: 'http://127.0.0.1/', assertions: [] } },
      ...{ privateLocations: ['local'], frequency: 10, doubleCheck: false },
    },
  })
  await work(plane, 'failing')
  await dispatch(app)
  advance(10 * minute)
  const target = { checkId: [body.id] }
  await call('POST', '/v1/check-sessions/trigger', { body: { target } })
  await work(plane, 'passing')
  await dispatch(app)
  advance(1000)
  return body.id
}

eachEngine(
  'the history of alerts: what, since when, until when, who was told, and whether it arrived',
  async (t, plane) => {
    const hook = await receiver(t, ({ path }) => (path === '/bad' ? { status: 404, body: 'no_team' } : {}))
    const id = await outage(plane, hook.origin)
    const cookie = await sessionOf(plane, 'READ_ONLY')
    const text = async (search = '') => (await visitPage(plane, cookie, `/app/alerts?${search}`)).text
    const page = await text()
    t.match(page, `<a href="/app/checks/${id}" dir="auto">Shop &lt;b&gt;</a>`)
    t.match(page, 'Failed')
    t.match(page, /after 10 minutes/)
    t.match(page, /Webhook Night shift<\/span>: delivered/)
    t.match(page, /not delivered<\/strong><p class="why" dir="auto">HTTP 404: no_team/)
    t.match(page, /UTC<\/time>/, 'times say their zone')
    t.match(page, `/app/runs/${id}/`)
    t.ok(page.indexOf('Recovered') < page.indexOf('connect ECONNREFUSED'), 'the newest first')
    t.notMatch(page, /ALERT_|SUCCESS|FAILURE/)
    t.match(await text('kind=recovered'), 'Recovered')
    t.notMatch(await text('kind=recovered'), 'ECONNREFUSED')
    t.match(await text('search=SHOP'), `/app/checks/${id}`)
    t.match(await text('search=office'), 'No alert is like this.')
    t.match(await text(`check=${id}`), `/app/checks/${id}`)
    t.match(await text('check=00000000-0000-4000-8000-000000000000'), 'No alert is like this.')
    t.match(await text('channel=1'), `/app/checks/${id}`)
    t.match(await text('channel=77'), 'No alert is like this.')
    t.match(await text('to=2020-01-01T00:00'), 'No alert in this time.')
    t.match(await text('from=nonsense&kind=x&before=zz&channel=-1'), `/app/checks/${id}`)
    const { accountId, apiKey } = await plane.addKey()
    t.ok(apiKey)
    const stranger = await sessionOf({ ...plane, accountId })
    t.match((await visitPage(plane, stranger, '/app/alerts')).text, 'No alert in this time.')
  },
  { env: loopbackEnv },
)

eachEngine('the history is read by keyset, every alert once', async (t, plane) => {
  const { app, accountId } = plane
  const cookie = await sessionOf(plane)
  const checkId = await storeCheck(plane, { name: 'Shop' })
  const now = app.clock.now()
  for (let n = 0; n < 120; n++)
    await app.db.select((k) =>
      k
        .insertInto('check_alerts')
        .values({
          ...{ id: app.newId(), account_id: accountId, check_id: checkId, check_type: 'URL' },
          ...{ alert_type: 'ALERT_FAILURE', name: `alert-${n}.`, started_at: now, doc: alertDoc },
          // Several of one moment: then the id decides.
          created_at: now - Math.floor(n / 7) * 1000,
        })
        .returning('id'),
    )
  const seen: string[] = []
  let next: string | undefined = '/app/alerts'
  for (let pages = 0; next !== undefined && pages < 5; pages++) {
    const { text } = await visitPage(plane, cookie, next)
    t.ok(gzipSync(text).length <= 17 * 1024)
    seen.push(...[...text.matchAll(/>(alert-\d+\.)</g)].map(([, name = '']) => name))
    next = /rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }
  t.equal(seen.length, 120)
  t.equal(new Set(seen).size, 120)
})

const alertDoc = JSON.stringify({ runLocation: 'local', responseTime: 5, error: null, statusCode: null })

eachEngine('the report: figures of each check, filtered, sorted, exported', async (t, plane) => {
  const cookie = await sessionOf(plane, 'READ_ONLY')
  const group = (await plane.call('POST', '/v1/check-groups', { body: { name: 'Front' } })).body.id
  const bad = await checkWith(plane, { name: 'Alpha =1', state: 'failing', doc: { tags: ['shop'] } })
  await checkWith(plane, { name: 'Beta', state: 'passing' })
  await plane.call('POST', '/v1/checks/url', {
    body: {
      ...{ name: 'Gamma', groupId: group, privateLocations: ['local'] },
      request: { url: 'https://a.example/' },
    },
  })
  plane.advance(1000)
  const names = async (search: string): Promise<string[]> => {
    const { text } = await visitPage(plane, cookie, `/app/reports?${search}`)
    return [...text.matchAll(/<a href="\/app\/checks\/[^"]+" dir="auto">([^<]+)</g)].map(
      ([, name = '']) => name,
    )
  }
  t.strictSame(await names('period=last24Hrs'), ['Alpha =1', 'Beta', 'Gamma'])
  t.strictSame(await names('tag=shop'), ['Alpha =1'])
  t.strictSame(await names(`group=${group}`), ['Gamma'])
  t.strictSame(await names('sort=uptime'), ['Alpha =1', 'Beta', 'Gamma'])
  t.strictSame((await names('sort=p95')).at(-1), 'Gamma', 'what has no runs is last')
  const { text } = await visitPage(plane, cookie, '/app/reports?period=last24Hrs')
  t.match(text, /data-label="Uptime">90\.32 %/)
  t.match(text, 'no runs')
  t.match(text, '3 checks, 2 with runs, 1 without a failure')
  t.match(text, 'Last 24 hours')
  t.match(text, '@media print')
  for (const wrong of ['timezone=Nowhere', 'from=2026-02-01T00:00&to=2026-01-01T00:00']) {
    const answer = await visitPage(plane, cookie, `/app/reports?${wrong}`)
    t.equal(answer.status, 200)
    t.match(answer.text, 'There is no such time or time zone')
  }
  const csv = await visitPage(plane, cookie, '/app/reports/export/csv?period=last24Hrs&tag=shop')
  t.match(csv.headers.get('content-disposition'), 'report.csv')
  t.match(csv.text, /^checkId,name,type/)
  t.match(csv.text.split('\r\n')[1], `"${bad.checkId}","Alpha =1","URL","false","shop","90.32`)
  const json = await visitPage(plane, cookie, '/app/reports/export/json?sort=uptime')
  t.match(JSON.parse(json.text), [{ name: 'Alpha =1' }, { name: 'Beta' }, { name: 'Gamma' }])
  t.equal((await visitPage(plane, cookie, '/app/reports/export/exe')).status, 404)
})

t.test('a report of many checks stays a page', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  for (let n = 0; n < 250; n++) await storeCheck(plane, { name: `check ${String(n).padStart(3, '0')}` })
  const { text } = await visitPage(plane, cookie, '/app/reports')
  t.ok(gzipSync(text).length <= 17 * 1024, `${gzipSync(text).length} bytes`)
  t.match(text, 'check 099')
  t.notMatch(text, 'check 100')
  t.match((await visitPage(plane, cookie, '/app/reports?page=3')).text, '201 to 250 of 250')
})

t.test('badges: what anybody may see is shown and can be copied', async (t) => {
  const plane = await testApp(t, { env: { BASE_URL: 'https://watch.example' } })
  const { call } = plane
  const cookie = await sessionOf(plane)
  const checkId = await storeCheck(plane, { name: 'Shop "1" <b>' })
  const page = { name: 'Status of us', url: 'ours', cards: [] }
  t.equal((await call('POST', '/v1/status-pages', { body: page })).status, 201)
  const off = (await visitPage(plane, cookie, '/app/badges')).text
  t.match(off, 'Badges of checks and groups are off')
  t.match(off, '/app/do/patch/v1/accounts/me')
  t.notMatch(off, checkId)
  t.match(
    off,
    '[![Status of us](https://watch.example/status/ours/badge.svg)](https://watch.example/status/ours)',
  )
  const reader = await sessionOf(plane, 'READ_ONLY')
  t.notMatch((await visitPage(plane, reader, '/app/badges')).text, '/app/do/patch')
  t.equal(
    (await call('PATCH', '/v1/accounts/me', { body: { settings: { badgesEnabled: true } } })).status,
    200,
  )
  const search = `of=check:${checkId}&style=plastic&responseTime=true`
  const { text } = await visitPage(plane, cookie, `/app/badges?${search}`)
  const [, picture = ''] = /<img src="(\/v1\/badges\/[^"]+)"/.exec(text) ?? []
  const path = picture.replaceAll('&amp;', '&')
  t.equal(path, `/v1/badges/checks/${checkId}?style=plastic&responseTime=true`)
  t.match(await (await fetch(`${plane.url}${path}`)).text(), /^<svg/)
  t.match(text, `(https://watch.example${path.replaceAll('&', '&amp;')})`)
  t.match(text, '![Shop 1 b](')
  t.notMatch(text, 'Shop "1" <b>')
  t.match((await visitPage(plane, cookie, '/app/badges?search=nothing')).text, 'Status of us')
})

t.test('a location says how its agents are started, with the address of this control plane', async (t) => {
  const plane = await testApp(t, { env: { ...loopbackEnv, BASE_URL: 'https://watch.example' } })
  const cookie = await sessionOf(plane)
  const body = { name: 'Paris', slugName: 'Paris-1' }
  const { id, keys } = (await plane.call('POST', '/v1/private-locations', { body })).body
  const { text } = await visitPage(plane, cookie, `/app/locations/${id}`)
  t.match(text, /<details open><summary>Docker/)
  t.match(text, /docker run -d --name watchpost-agent-paris-1 /)
  t.match(text, 'CONTROL_PLANE_URL=https://watch.example')
  t.match(text, '--set controlPlaneUrl=https://watch.example')
  t.match(text, 'systemctl enable --now watchpost-agent')
  t.notMatch(text, keys[0].rawKey, 'a key is shown once, when it is made')
})
