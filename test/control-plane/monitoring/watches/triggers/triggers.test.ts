// Runs on both engines in test:all: a second trigger of the same check meets the first one.
import { eachEngine, type TestApp } from '../../../../support/app.ts'
import { claimAll, createUrlCheck, refused, workAll } from '../../../../support/tests-of-checks.ts'
import { until } from '../../../../support/until.ts'

const make = async (plane: TestApp, path: string) => (await plane.call('POST', path)).body

/** Calls the address and runs what it asks for. */
const call = async (
  plane: TestApp,
  url: string,
  { outcome, method = 'GET' }: { outcome?: object; method?: string } = {},
) => {
  const answer = plane.call(method, new URL(url).pathname + new URL(url).search, { key: null })
  await until('its run', async () => (await workAll(plane, outcome)) > 0)
  return answer
}

eachEngine('a check has a trigger as long as nobody deletes it', async (t, plane) => {
  const checkId = await createUrlCheck(plane)
  const path = `/v1/triggers/checks/${checkId}`
  t.equal((await plane.call('GET', path)).status, 404, 'none yet')
  const made = await plane.call('POST', path)
  t.match(made, { status: 201, body: { checkId, called_at: null, updated_at: null } })
  t.match(made.body.url, `/checks/${checkId}/trigger/${made.body.token}`)
  t.strictSame((await plane.call('GET', path)).body, made.body, 'it is shown again')
  t.strictSame((await plane.call('POST', path)).body, made.body, 'there is one for each check')
  const stored = await plane.app.db.select((k) => k.selectFrom('check_triggers').selectAll())
  t.notMatch(JSON.stringify(stored), made.body.token, 'its token is sealed')
  const log = await plane.call('GET', '/v1/audit-log')
  t.match(log.text, 'POST /v1/triggers/checks/:checkId')
  t.notMatch(log.text, made.body.token, 'whoever reads the audit log may not run it')
  const other = await plane.addKey()
  t.equal((await plane.call('GET', path, { key: other.apiKey })).status, 404, 'another account')
  t.equal((await plane.call('DELETE', path, { key: other.apiKey })).status, 404)
  t.equal((await plane.call('DELETE', path)).status, 204)
  t.equal((await plane.call('GET', path)).status, 404)
  t.equal((await plane.call('DELETE', path)).status, 404)
})

eachEngine('its address runs the check and says what came of it', async (t, plane) => {
  const checkId = await createUrlCheck(plane)
  const { url, token } = await make(plane, `/v1/triggers/checks/${checkId}`)
  const asked = `${url}?sha=7fd1a60b&environmentName=staging&deployment=true`
  const passed = await call(plane, asked)
  t.match(passed, { status: 200, body: { hasFailures: false, responseTime: Number } })
  const test = (await plane.call('GET', `/v1/test-sessions/${passed.body.testSessionId}`)).body
  t.match(test, {
    provider: 'TRIGGER',
    status: 'PASSED',
    metadata: { commitId: '7fd1a60b', environment: 'staging' },
  })
  const failed = await call(plane, url, { outcome: refused, method: 'POST' })
  t.match(failed, { status: 503, body: { hasFailures: true } })
  t.strictSame((await plane.call('GET', '/v1/check-alerts')).body, [])
  t.not((await plane.call('GET', `/v1/triggers/checks/${checkId}`)).body.called_at, null)
  const wrong = new URL(url).pathname.replace(token, `${token.slice(0, -1)}_`)
  t.equal((await plane.call('GET', `${wrong}x`, { key: null })).status, 404, 'another token')
  t.equal((await plane.call('GET', `/checks/${checkId}/trigger/undefined`, { key: null })).status, 404)
})

eachEngine(
  'a deactivated check is run by its own trigger, and not by that of its group',
  async (t, plane) => {
    const group = { name: 'shop', locations: [], privateLocations: ['local'] }
    const { id: groupId } = (await plane.call('POST', '/v1/check-groups', { body: group })).body
    const checkId = await createUrlCheck(plane, { groupId, activated: false })
    const { url: ofCheck } = await make(plane, `/v1/triggers/checks/${checkId}`)
    t.equal((await call(plane, ofCheck)).status, 200)
    const ofGroup = await make(plane, `/v1/triggers/check-groups/${groupId}`)
    t.match(ofGroup, { groupId })
    const path = new URL(ofGroup.url).pathname
    t.equal((await plane.call('GET', path, { key: null })).status, 404, 'no check to run')
    await createUrlCheck(plane, { groupId, name: 'active' })
    const answer = await call(plane, ofGroup.url)
    t.match(answer, { status: 200, body: { hasFailures: false } })
  },
)

eachEngine('who calls too often is told when to come back, and previews run nothing', async (t, plane) => {
  const checkId = await createUrlCheck(plane, { privateLocations: [] })
  const { url } = await make(plane, `/v1/triggers/checks/${checkId}`)
  const path = new URL(url).pathname
  const preview = await plane.call('GET', path, { key: null, headers: { 'user-agent': 'Slackbot 1.0' } })
  t.equal(preview.status, 403)
  for (let count = 0; count < 10; count++)
    t.equal((await plane.call('GET', path, { key: null })).status, 400, 'it has no location')
  const refusedCall = await plane.call('GET', path, { key: null })
  t.equal(refusedCall.status, 429)
  t.ok(refusedCall.headers.get('retry-after'))
  plane.advance(60_000)
  t.equal((await plane.call('GET', path, { key: null })).status, 400)
})

eachEngine('triggers end with their check and their group', async (t, plane) => {
  const group = { name: 'shop', locations: [], privateLocations: ['local'] }
  const { id: groupId } = (await plane.call('POST', '/v1/check-groups', { body: group })).body
  const checkId = await createUrlCheck(plane)
  await make(plane, `/v1/triggers/checks/${checkId}`)
  await make(plane, `/v1/triggers/check-groups/${groupId}`)
  t.equal((await plane.call('DELETE', `/v1/checks/${checkId}`)).status, 204)
  t.equal((await plane.call('DELETE', `/v1/check-groups/${groupId}`)).status, 204)
  t.strictSame(await plane.app.db.select((k) => k.selectFrom('check_triggers').selectAll()), [])
  t.strictSame(await claimAll(plane), [])
})
