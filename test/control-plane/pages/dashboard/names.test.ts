// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { recordAgentSeen } from '../../../../control-plane/monitoring/locations/agents/queries.ts'
import { recordMissedRanges } from '../../../../control-plane/monitoring/schedule/missed-runs.ts'
import { eachEngine, testApp } from '../../../support/app.ts'
import { sessionOf, visitPage } from '../../../support/dashboard.ts'
import { storeCheck, storeFailure } from '../../../support/stored-results.ts'

eachEngine('missed runs and errors are those of checks with a name', async (t, plane) => {
  const { app, accountId } = plane
  const cookie = await sessionOf(plane)
  const checkId = await storeCheck(plane, { name: 'Shop' })
  const at = app.clock.now() - 60_000
  await recordMissedRanges(app.db, [
    {
      ...{ id: app.newId(), accountId, checkId, location: { name: 'local' }, reason: 'NO_AGENT', count: 1 },
      ...{ detail: 'No agent was there.', firstDueAt: at, lastDueAt: at, stepMs: 60_000, now: at },
    },
  ])
  await storeFailure(plane, { checkId, at, message: 'refused' })
  const overview = (await visitPage(plane, cookie, '/app')).text
  const link = `<a href="/app/checks/${checkId}">Shop</a>`
  t.match(/id="missed".*?<\/section>/s.exec(overview)?.[0], link)
  t.match((await visitPage(plane, cookie, '/app/errors')).text, link)
})

eachEngine('the page of a check leads to its group by its name', async (t, plane) => {
  const group = (await plane.call('POST', '/v2/check-groups', { body: { name: 'Storefront' } })).body
  const body = { name: 'Shop', request: { url: 'https://shop.example/' }, groupId: group.id }
  const { id } = (await plane.call('POST', '/v1/checks/url', { body })).body
  const { text } = await visitPage(plane, await sessionOf(plane), `/app/checks/${id}`)
  t.match(text, /<nav class="trail".*?Storefront.*?<\/nav>/s)
})

eachEngine(
  'only public locations that agents serve are offered, and those that are chosen',
  async (t, plane) => {
    const cookie = await sessionOf(plane)
    const body = { name: 'Shop', request: { url: 'https://shop.example/' }, locations: ['us-east-1'] }
    const { id } = (await plane.call('POST', '/v1/checks/url', { body })).body
    const offered = async (path: string): Promise<string[]> =>
      [
        ...(await visitPage(plane, cookie, path)).text.matchAll(
          /name="body\.locations\[\]" value="([^"]*)"/g,
        ),
      ].map(([, value = '']) => value)
    const fresh = '/app/do/post/v1/checks/url'
    t.strictSame(await offered(fresh), [])
    t.strictSame(await offered(`/app/do/put/v1/checks/url/${id}`), ['us-east-1'])
    await plane.app.db.run(recordAgentSeen, {
      ...{ location: 'eu-west-1', agentId: 'a', version: '0.1.0', platform: 'linux', isolation: null },
      ...{ checkTypes: '[]', runtimeIds: '[]', now: plane.app.clock.now() },
    })
    t.strictSame(await offered(fresh), ['eu-west-1'])
    t.strictSame((await offered(`/app/do/put/v1/checks/url/${id}`)).toSorted(), ['eu-west-1', 'us-east-1'])
    plane.advance(25 * 3_600_000)
    t.strictSame(await offered(fresh), [], 'its agent is gone')
  },
)

t.test('what is no id is not found, in words', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const checkId = await storeCheck(plane)
  for (const path of [
    '/app/checks/0',
    `/app/runs/${checkId}/0`,
    '/app/runs/0/0',
    '/app/channels/x',
    '/app/locations/0',
    '/app/incidents/0',
    '/app/errors/0',
    '/app/check-sessions/0',
    '/app/do/put/v1/checks/url/0',
  ]) {
    const { status, text } = await visitPage(plane, cookie, path)
    t.equal(status, 404, path)
    t.match(text, 'There is nothing here', path)
    t.notMatch(text, /must be|match format|pattern/, path)
  }
  t.equal((await plane.call('GET', '/v1/checks/0')).status, 400, 'programs are told what an id is')
})
