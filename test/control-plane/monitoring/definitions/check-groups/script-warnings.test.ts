import t from 'tap'
import { testApp } from '../../../../support/app.ts'

t.test('a group is warned of its setup and teardown scripts, with the line', async (t) => {
  const plane = await testApp(t)
  const body = { name: 'Shop', localSetupScript: 'return 1\n)', localTearDownScript: 'await fetch("x")' }
  const made = await plane.call('POST', '/v2/check-groups', { body })
  t.equal(made.status, 201, made.text)
  t.match(made.body.warnings, [{ location: null, message: /^The setup script cannot be parsed, line 2: \S/ }])
  t.equal(made.body.warnings.length, 1, 'the other one can')
  t.match(made.headers.get('watchpost-warning'), 'line 2')
  t.ok(made.headers.get('etag'))
  const path = `/v2/check-groups/${made.body.id}`
  t.notOk('warnings' in (await plane.call('GET', path.replace('v2', 'v1'))).body, 'only writes are warned of')
  const again = await plane.call('PUT', path, { body: made.body })
  t.equal(again.status, 200, 'what was answered can be sent back')
  t.match(again.body.warnings, [{ message: /line 2/ }])
  const mended = await plane.call('PUT', path, { body: { name: 'Shop', localSetupScript: 'return 1' } })
  t.notOk('warnings' in mended.body)
})
