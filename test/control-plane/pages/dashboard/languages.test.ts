import t from 'tap'
import { testApp } from '../../../support/app.ts'
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

t.test(
  'who chose a language has it in every browser, until they choose what the browser asks for',
  async (t) => {
    const plane = await testApp(t)
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
