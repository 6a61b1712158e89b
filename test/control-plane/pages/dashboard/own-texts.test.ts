// Runs on both engines in test:all: its statements run in no other file.
/** The folded parts of forms in which owners say the same in other languages. */
import { eachEngine } from '../../../support/app.ts'
import { sessionOf, visitPage } from '../../../support/dashboard.ts'
import { makePage } from '../../../support/status-page.ts'

const legends = (text: string): string[] =>
  [...text.matchAll(/<legend>((?:Deutsch|français|English)[\s\S]*?)<\/legend>/g)].map(([, legend = '']) =>
    legend.replace(/<[^>]*>/g, '').replace(/\s+/g, ' '),
  )

eachEngine('a form has a part for each language of the page, and says what falls back', async (t, plane) => {
  const { pageId, serviceId } = await makePage(plane)
  const cookie = await sessionOf(plane)
  const service = `/app/do/put/v1/status-pages/services/${serviceId}`
  const all = await visitPage(plane, cookie, service)
  t.match(all.text, /In other languages[\s\S]*0 of 16 complete/, 'all but the default, where none are chosen')
  const publication = `/v1/status-pages/${pageId}/publication`
  await plane.call('PUT', publication, { body: { languages: ['en', 'de', 'fr'] } })
  const empty = await visitPage(plane, cookie, service)
  t.same(legends(empty.text), [
    'Deutsch falls back to the text above',
    'français falls back to the text above',
  ])
  const saved = await visitPage(plane, cookie, service, {
    _do: 'save',
    'body.name': 'Shop',
    'body.translations.de.name': 'Laden',
    'body.translations.fr.name': ' ',
  })
  t.equal(saved.status, 303, saved.text)
  const { body } = await plane.call('GET', `/v1/status-pages/services/${serviceId}`)
  t.strictSame(body.translations, { de: { name: 'Laden' } })
  const again = await visitPage(plane, cookie, service)
  t.same(legends(again.text), ['Deutsch', 'français falls back to the text above'])
  t.match(again.text, /1 of 2 complete/)
  t.match(again.text, /name="body\.translations\.de\.name"[^>]*value="Laden"/)
  await plane.call('PUT', publication, { body: { languages: ['en', 'fr'] } })
  const later = await visitPage(plane, cookie, service)
  t.match(later.text, /value="Laden"/, 'what is written stays, also where its language is no longer offered')
  const page = `/app/do/put/v1/status-pages/${pageId}`
  const card = (await plane.call('GET', `/v1/status-pages/${pageId}`)).body.cards[0]
  const pageSaved = await visitPage(plane, cookie, page, {
    _do: 'save',
    'body.name': 'Acme',
    'body.url': 'acme',
    'body.translations.fr.description': 'Tout va bien',
    'body.cards.0._row': '1',
    'body.cards.0.id': card.id,
    'body.cards.0.name': 'All',
    'body.cards.0.translations.fr.name': 'Tout',
    'body.cards.0.services[]': serviceId,
  })
  t.equal(pageSaved.status, 303, pageSaved.text)
  const shown = await plane.call('GET', `/v1/status-pages/${pageId}`)
  t.match(shown.body, {
    translations: { fr: { description: 'Tout va bien' } },
    cards: [{ translations: { fr: { name: 'Tout' } } }],
  })
  t.match((await visitPage(plane, cookie, page)).text, /français[\s\S]{0,60}falls back: Name/)
  const text = 'x'.repeat(300)
  const refused = await visitPage(plane, cookie, service, {
    _do: 'save',
    'body.name': 'Shop',
    'body.translations.fr.name': text,
  })
  t.equal(refused.status, 400)
  t.match(refused.text, /<details class="translations"[^>]* open>/, 'what is wrong is in sight')
  t.match(refused.text, /id="f-body-translations-fr-name-error"/)
})
