// Runs on both engines in test:all: its lists are read while they are sent, on each engine in its own way.
/** Files of results and checks: whole, as the filters say, safe in a spreadsheet, and able to make the checks again. */
import { parse } from 'yaml'
import { eachEngine } from '../../support/app.ts'
import { bundleOf, uploadBundle } from '../../support/bundles.ts'
import { sdkSuite } from '../../support/client-check-bodies.ts'
import { sessionOf, visitPage } from '../../support/dashboard.ts'
import { storeCheck, storeResult } from '../../support/stored-results.ts'

const linesOf = (text: string): string[] => text.trim().split('\r\n')

eachEngine('results as CSV: filtered, in pieces, and no formula', async (t, plane) => {
  const checkId = await storeCheck(plane, {})
  const now = plane.app.clock.now()
  for (let n = 0; n < 520; n++)
    await storeResult(plane, {
      ...{ checkId, at: now - n * 1000, hasFailures: n === 3 },
      doc: n === 3 ? { error: '=HYPERLINK("http://evil.example")' } : {},
    })
  const path = `/v1/exports/check-results/${checkId}`
  const all = await plane.call('GET', path)
  t.match(all.headers.get('content-type'), 'text/csv')
  t.equal(linesOf(all.text).length, 521, 'more than one page of them, each once')
  t.equal(new Set(linesOf(all.text)).size, 521)
  const failed = linesOf((await plane.call('GET', `${path}?hasFailures=true`)).text)
  t.equal(failed.length, 2)
  t.match(failed[1], /"failed".*"'=HYPERLINK\(""http/)
  t.equal(
    (await plane.call('GET', '/v1/exports/check-results/6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11')).status,
    404,
  )
  const cookie = await sessionOf(plane)
  const { text } = await visitPage(plane, cookie, `/app/checks/${checkId}/runs.csv?outcome=failed`)
  t.strictSame(linesOf(text), failed, 'the same by the button of the page')
})

eachEngine('checks as a table and as bodies that make them again', async (t, plane) => {
  const { body: group } = await plane.call('POST', '/v2/check-groups', { body: { name: 'Shop' } })
  const request = {
    url: 'https://shop.example/',
    assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
  }
  const made = [
    { name: '@SUM(1)', request, tags: ['shop'], groupId: group.id, privateLocations: ['local'] },
    { name: 'null: "yes"\n- no', request, muted: true, privateLocations: ['local'] },
  ]
  for (const body of made) t.equal((await plane.call('POST', '/v1/checks/url', { body })).status, 201)
  const csv = linesOf((await plane.call('GET', '/v1/exports/checks?format=csv')).text)
  t.match(csv[1], /"'@SUM\(1\)","URL","waiting","false","shop"/)
  const { body: json } = await plane.call('GET', '/v1/exports/checks')
  t.match(json, [{ checkType: 'URL', tags: ['shop'] }, { muted: true }])
  const yaml = (await plane.call('GET', '/v1/exports/checks?format=yaml')).text
  t.strictSame(parse(yaml), json, 'YAML says the same')
  const suite = { ...sdkSuite, codeBundlePath: (await uploadBundle(plane, bundleOf())).body.id }
  t.equal((await plane.call('POST', '/v1/checks/playwright', { body: suite })).status, 201)
  const [exported] = (await plane.call('GET', '/v1/exports/checks?checkType=PLAYWRIGHT')).body
  t.match(exported, { codeBundleId: suite.codeBundlePath, engine: 'node', engineVersion: '24', files: [] })
  t.notOk('codeBundlePath' in exported, 'one name of it is enough')
  json.push(exported)
  const filtered = (await plane.call('GET', '/v1/exports/checks?tag=shop')).body
  t.strictSame(filtered, json.slice(0, 1))
  t.strictSame((await plane.call('GET', '/v1/exports/checks?groupId=0')).body, json.slice(1))
  const { body: before } = await plane.call('GET', '/v1/checks')
  for (const { id } of before) await plane.call('DELETE', `/v1/checks/${id}`)
  for (const body of json) t.equal((await plane.call('POST', '/v1/checks', { body })).status, 201)
  const again = (await plane.call('GET', '/v1/exports/checks')).body
  t.strictSame(again, json, 'put back, they are what they were')
  const cookie = await sessionOf(plane)
  const now = (await plane.call('GET', '/v1/exports/checks?format=yaml')).text
  t.equal((await visitPage(plane, cookie, '/app/checks/export/yaml')).text, now)
})
