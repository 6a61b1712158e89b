// Runs in test:all only: every page is opened.
import t from 'tap'
import {
  langs,
  nameOfLanguage,
  wordsOf,
} from '../../../../control-plane/communication/stored-pages/words/languages.ts'
import { routes } from '../../../../control-plane/routes.ts'
import { accountData } from '../../../support/account-data.ts'
import { everyPage } from '../../../support/every-page.ts'
import { addPerson } from '../../../support/members.ts'
import { dataPattern, pseudoLocales, unsaidIn } from '../../../support/pseudo-language.ts'
import { filesThatSay } from '../../../support/source-of-text.ts'
import { signedInAs } from '../../../support/visitor.ts'
import { testWorld } from '../../../support/world.ts'

/** By people of one account: to fill it takes as long as to read what one of them sees. */
t.test('nothing of ours stays English', async (t) => {
  const world = await testWorld(t, { parts: { locales: pseudoLocales } })
  await world.complete(routes)
  const { plane } = world
  // Names of languages are said in themselves, and the words of status pages are their own.
  const elsewhere = [...langs.map(nameOfLanguage), ...Object.values(wordsOf('en').states), 'Bea']
  for (const [name, role, least] of [
    ['Ada', 'OWNER', 100],
    ['Bea', 'READ_ONLY', 60],
  ] as const)
    await t.test(`every page is said, for ${role}`, async (t) => {
      const { userId } = await addPerson(plane, { email: `${name}@pages.example`.toLowerCase(), name, role })
      const visited = await everyPage(plane, await signedInAs(plane, userId))
      t.ok(visited.length > least, `${visited.length} pages`)
      const data = dataPattern([...(await accountData(world)), ...elsewhere])
      const places = new Map<string, string[]>()
      for (const { path, text } of visited)
        for (const said of unsaidIn(text, data)) places.set(said, [...(places.get(said) ?? []), path])
      // Where, what, and the files that say it.
      const unsaid = [...places].map(
        ([text, [path = '', ...more]]) =>
          `${path}${more.length === 0 ? '' : ` (and ${more.length} more)`}: ${text} ← ${filesThatSay(text).join(', ') || 'no file says it as it is'}`,
      )
      t.equal(unsaid.join('\n'), '')
    })
})
