// Runs on both engines in test:all: pages of locations are read from agents that were seen.
/** The page of a location, and the list of them, say which agents do not go with this control plane. */
import t from 'tap'
import { recordAgentSeen } from '../../../../control-plane/monitoring/locations/agents/queries.ts'
import { skewMark } from '../../../../control-plane/pages/dashboard/location-detail.ts'
import { catalogs } from '../../../../control-plane/pages/dashboard/translations/catalogs.ts'
import { controlPlaneVersion } from '../../../../control-plane/platform/settings/config.ts'
import { html, markupOf } from '../../../../control-plane/platform/web/html/html.ts'
import { createLocale, english } from '../../../../control-plane/platform/web/html/locale.ts'
import { eachEngine } from '../../../support/app.ts'
import { sessionOf, visitPage } from '../../../support/dashboard.ts'

const nextMajor = `${Number(controlPlaneVersion.split('.')[0]) + 1}.0.0`

eachEngine('agents that are newer than the control plane are marked', async (t, plane) => {
  const { app, locationId } = plane
  const cookie = await sessionOf(plane)
  const seen = (agentId: string, version: string) =>
    app.db.run(recordAgentSeen, {
      ...{ location: locationId, agentId, version, platform: 'test', checkTypes: '[]', runtimeIds: '[]' },
      ...{ isolation: null, now: app.clock.now() },
    })
  const page = async () => (await visitPage(plane, cookie, `/app/locations/${locationId}`)).text
  const list = async () => (await visitPage(plane, cookie, '/app/locations')).text
  await seen('same', controlPlaneVersion)
  for (const text of [await page(), await list()]) t.notMatch(text, /too old|newer than the control plane/)
  await seen('next', nextMajor)
  t.match(
    await page(),
    new RegExp(`${nextMajor} <span class="state degraded">.*?newer than the control plane`),
  )
  t.match(await list(), /newer than the control plane/)
})

/** No version is two minor ones before the first: the mark is what the page has of one. */
t.test('agents that are too old are marked, in the language of the reader', async (t) => {
  const textOf = (skew: Parameters<typeof skewMark>[0], locale = english) =>
    markupOf(html`${skewMark(skew)}`, locale).replace(/<[^>]*>/g, '')
  t.equal(textOf('TOO_OLD').trim(), '!too old')
  t.equal(textOf('NEWER').trim(), '!newer than the control plane')
  t.equal(textOf(null), '')
  const german = createLocale('de', catalogs.get('de') ?? {})
  t.notMatch(textOf('TOO_OLD', german), 'too old')
})
