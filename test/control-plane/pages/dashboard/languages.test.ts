// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { sayLabel } from '../../../../control-plane/pages/dashboard/forms/words.ts'
import { catalogs } from '../../../../control-plane/pages/dashboard/translations/catalogs.ts'
import { sayWord } from '../../../../control-plane/pages/dashboard/words.ts'
import { type Content, html, markupOf } from '../../../../control-plane/platform/web/html/html.ts'
import { createLocale } from '../../../../control-plane/platform/web/html/locale.ts'
import { sayRole } from '../../../../control-plane/platform/web/html/role-words.ts'
import { eachEngine, testApp } from '../../../support/app.ts'
import { addPerson } from '../../../support/members.ts'
import { storeCheck } from '../../../support/stored-results.ts'
import { signedIn, signedInAs } from '../../../support/visitor.ts'

t.test(
  'pages are in the language that the browser asks for, and names stay as they were given',
  async (t) => {
    const plane = await testApp(t)
    await storeCheck(plane, { name: 'Overview' })
    const visitor = await signedIn(t, plane)
    const read = async (lang: string, path = '/app/checks') =>
      (await visitor.get(path, { 'accept-language': lang })).text
    const german = await read('de-AT,de;q=0.9,en;q=0.5')
    t.match(german, '<html lang="de">')
    t.match(german, '>Abmelden</button>')
    t.match(german, '>Übersicht<', 'the navigation')
    t.match(german, '>Overview</a>', 'the check')
    t.match(await read('ja'), '<html lang="ja">')
    const english = await read('xx, *;q=0.1')
    t.match(english, '<html lang="en">')
    t.match(english, '>Sign out</button>')
    t.match(await read('fr', '/app/nothing/here'), '<html lang="fr">', 'errors, too')
  },
)

eachEngine(
  'who chose a language has it in every browser, until they choose what the browser asks for',
  async (t, plane) => {
    const { userId } = await addPerson(plane, { email: 'ada@example.com' })
    const visitor = await signedInAs(plane, userId)
    const read = async () => (await visitor.get('/app/profile', { 'accept-language': 'fr' })).text
    t.match(await read(), '<html lang="fr">')
    t.equal((await visitor.post('/app/profile/language', { language: 'de' })).status, 303)
    const chosen = await read()
    t.match(chosen, '<html lang="de">')
    t.match(chosen, '<option value="de" lang="de" selected>Deutsch</option>')
    t.match((await (await signedInAs(plane, userId)).get('/app/profile')).text, '<html lang="de">')
    await visitor.post('/app/profile/language', { language: '<script>' })
    t.match(await read(), '<html lang="fr">', 'what is not known is no choice')
  },
)

t.test('words of tables are said', async (t) => {
  const plane = await testApp(t)
  await addPerson(plane, { email: 'ada@example.com', role: 'READ_WRITE' })
  const visitor = await signedIn(t, plane)
  const german = (await visitor.get('/app/members', { 'accept-language': 'de' })).text
  t.match(german, />\s*Darf ändern\s*</)
  t.notMatch(german, />\s*May change\s*</)
})

t.test('what has no word is data, even where it reads like a text of ours', (t) => {
  const german = createLocale('de', catalogs.get('de') ?? {})
  const said = (content: Content) => markupOf(html`${content}`, german)
  t.equal(said(sayWord('READ_WRITE', 'role')), 'Darf ändern')
  t.equal(said(sayRole('READ_WRITE')), 'Darf ändern')
  t.equal(said(sayWord('Overview', 'name')), 'Overview')
  t.equal(said(sayLabel('url')), 'Adresse')
  t.equal(said(sayLabel('X-Overview')), 'X-Overview')
  t.end()
})
