/** What docs/playwright-suites.md shows is what the program takes and answers. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { checkKinds } from '../../control-plane/monitoring/definitions/checks/types/index.ts'
import { testApp } from '../support/app.ts'
import { bundleOf, uploadBundle } from '../support/bundles.ts'

const page = readFileSync(new URL('../../docs/playwright-suites.md', import.meta.url), 'utf8')

t.test('its examples work', async (t) => {
  const plane = await testApp(t)
  const [, shown = ''] = /```json\n(\{[^`]+\})\n```/.exec(page) ?? []
  const [, sent = ''] = /checks\/playwright"[^`]+-d '(\{[^']+\})'/.exec(page) ?? []
  const uploaded = (await uploadBundle(plane, bundleOf())).body
  t.strictSame(Object.keys(JSON.parse(shown)), Object.keys(uploaded))
  const body = { ...JSON.parse(sent), codeBundleId: uploaded.id }
  const created = await plane.call('POST', '/v1/checks/playwright', { body })
  t.equal(created.status, 201, created.text)
  const target = { matchTags: [['production']] }
  await plane.call('PUT', `/v1/checks/playwright/${created.body.id}`, { body: { tags: ['production'] } })
  t.match(page, JSON.stringify({ target, refreshCache: false }).replaceAll(/([:,])/g, '$1 '))
  const trigger = { target, refreshCache: false }
  const triggered = await plane.call('POST', '/v2/check-sessions/trigger', { body: trigger })
  t.match(triggered, { status: 201, body: { sessions: [{ checkId: created.body.id }] } })
})

t.test('it names every field of a suite', async (t) => {
  const own = Object.keys(checkKinds.PLAYWRIGHT.fields).filter((name) => !(name in checkKinds.BROWSER.fields))
  t.strictSame(
    own.filter((name) => !page.includes(`| \`${name}\` |`)),
    [],
  )
})
