/** What is around every page: few places, only those of one's role, the number that fails, and a search. */
import t from 'tap'
import { roles } from '../../../../control-plane/platform/words/shapes/roles.ts'
import { testApp } from '../../../support/app.ts'
import { checkWith, sessionOf, visitPage } from '../../../support/dashboard.ts'

const placesOf = (text: string): string[] => {
  const [, nav = ''] = /<nav class="side".*?<\/summary>(.*?)<\/nav>/s.exec(text) ?? []
  return [...nav.matchAll(/<a href="([^"]+)"/g)].map(([, path = '']) => path)
}
const tabsOf = (text: string): string[] => {
  const [, nav = ''] = /<nav class="tabs"[^>]*>(.*?)<\/nav>/s.exec(text) ?? []
  return [...nav.matchAll(/<a href="([^"]+)"/g)].map(([, path = '']) => path)
}

t.test('whatever the navigation offers to a role opens for it, in the same frame', async (t) => {
  const plane = await testApp(t)
  for (const role of roles) {
    const cookie = await sessionOf(plane, role)
    const places = placesOf((await visitPage(plane, cookie, '/app')).text)
    t.ok(places.length >= 10, `${role} has places`)
    t.equal(places.includes('/app/audit'), role === 'ADMIN' || role === 'OWNER', `the audit log for ${role}`)
    for (const place of places)
      for (const path of [place, ...tabsOf((await visitPage(plane, cookie, place)).text)]) {
        const { status, text } = await visitPage(plane, cookie, path)
        t.equal(status, 200, `${path} for ${role}`)
        t.strictSame(placesOf(text), places, `${path} has the same frame`)
        t.match(
          text,
          /<nav class="side".*<a href="[^"]+" aria-current="(page|true)"/s,
          `${path} says where it is`,
        )
        t.match(text, /<input type="search" name="search"/)
        t.match(text, /<link rel="icon" href="\/assets\/watchpost\.[0-9a-f]+\.svg">/)
      }
  }
})

t.test('the data of an account are not offered to whoever only changes checks', async (t) => {
  const plane = await testApp(t)
  const { text } = await visitPage(plane, await sessionOf(plane, 'READ_WRITE'), '/app/account')
  t.notMatch(text, '/app/data')
  t.match((await visitPage(plane, await sessionOf(plane, 'ADMIN'), '/app/account')).text, '/app/data')
})

t.test('the page of the data leads to files of them, and they open', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const { text } = await visitPage(plane, cookie, '/app/data')
  const files = [...text.matchAll(/href="(\/app\/[^"]*\/export\/[^"]*)"/g)].map(([, path = '']) => path)
  t.equal(files.length, 4)
  for (const path of files) t.equal((await visitPage(plane, cookie, path)).status, 200, path)
})

t.test('the overview shows a few locations without an agent, and says how many more there are', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  for (let number = 1; number <= 7; number++)
    await plane.call('POST', '/v1/private-locations', {
      body: { name: `Room ${number}`, slugName: `room-${number}` },
    })
  const { text } = await visitPage(plane, cookie, '/app')
  const [card = ''] = /id="locations".*?<\/section>/s.exec(text) ?? []
  t.equal(card.match(/href="\/app\/locations\/[^"]+"/g)?.length, 5)
  t.match(card, '<a href="/app/locations">3 more</a>')
})

t.test('the number that fails stands on every page; what is paused does not count', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const mark = async (): Promise<string | undefined> =>
    /<em>(\d+)<span class="hide"> failing/.exec((await visitPage(plane, cookie, '/app/locations')).text)?.[1]
  t.equal(await mark(), undefined)
  const { checkId } = await checkWith(plane, { name: 'A', state: 'failing', error: 'no' })
  await checkWith(plane, { name: 'B', state: 'failing', error: 'no' })
  t.equal(await mark(), '2')
  await plane.call('PUT', `/v1/checks/${checkId}`, { body: { activated: false } })
  t.equal(await mark(), '1')
})
