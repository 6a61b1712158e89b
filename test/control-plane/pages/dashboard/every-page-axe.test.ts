// Runs in test:all only: it opens every page of an account in a browser.
/** Every page and form of an account as axe sees it, by the list of routes: with all that can be opened, and with errors. */
import t, { type Test } from 'tap'
import { type Schema, variantsOf } from '../../../../control-plane/pages/dashboard/forms/fields.ts'
import { createInternalClient } from '../../../../control-plane/pages/dashboard/internal-client.ts'
import { operationsWithPage, pathOfOperation } from '../../../../control-plane/pages/dashboard/operations.ts'
import { routes, servedRoutes } from '../../../../control-plane/routes.ts'
import { looks, overflowOf, violationsOf } from '../../../support/axe.ts'
import { sessionOf, signedIn, visitPage } from '../../../support/dashboard.ts'
import { everyPage } from '../../../support/every-page.ts'
import { runsIn } from '../../../support/length.ts'
import { addPerson } from '../../../support/members.ts'
import { type BrowserPage, noChromium, openBrowser } from '../../../support/result-browser.ts'
import { signedInAs } from '../../../support/visitor.ts'
import { testWorld, type World } from '../../../support/world.ts'

const operations = operationsWithPage(createInternalClient(routes))

/** The form of each route, of each kind that it makes. */
const formsOf = async (world: World): Promise<Array<{ path: string; isWritten: boolean }>> => {
  const forms: Array<{ path: string; isWritten: boolean }> = []
  for (const { route } of operations) {
    const page = `/app/do/${route.method.toLowerCase()}${await world.address(route)}`
    const variants = route.body === undefined ? null : variantsOf(route.body as Schema)
    const isWritten = route.body !== undefined && route.method !== 'DELETE'
    if (variants === null || route.method === 'PUT') forms.push({ path: page, isWritten })
    else
      forms.push(...variants.values.map((value) => ({ path: `${page}?${variants.by}=${value}`, isWritten })))
  }
  return forms
}

const openAll = `for (const each of document.querySelectorAll('main details')) each.open = true
for (const each of document.querySelectorAll('main .on input[type=checkbox]')) each.checked = true`

type Look = Pick<(typeof looks)[number], 'viewport' | 'colorScheme'>

/** Forms are alike: each is looked at in one way, the next in another. */
const inTurn = (at: number): readonly Look[] =>
  runsIn('long') ? looks : looks.slice(at % looks.length, (at % looks.length) + 1)

const looksWell = async (
  t: Test,
  page: BrowserPage,
  { name, seenIn = looks }: { name: string; seenIn?: readonly Look[] },
): Promise<void> => {
  await page.evaluate(openAll)
  for (const { viewport, colorScheme } of seenIn) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    t.strictSame(await violationsOf(page), [], `${name}, ${colorScheme} ${viewport.width}`)
    t.equal(await overflowOf(page), 0, `${name} fits ${viewport.width} px`)
  }
}

t.test('axe finds nothing on any page and any form of an account', { skip: noChromium }, async (t) => {
  const world = await testWorld(t)
  const { plane } = world
  await world.complete(routes)
  const { userId } = await addPerson(plane, { email: 'ada@pages.example', role: 'OWNER' })
  const visited = await everyPage(plane, await signedInAs(plane, userId))
  const firstOfEach = new Map(visited.toReversed().map(({ route, path }) => [route, path]))
  const forms = await formsOf(world)
  const pages = servedRoutes
    .filter(
      ({ method, path, responseType }) =>
        method === 'GET' && /^\/app(\/|$)/.test(path) && responseType === 'text/html',
    )
    .map(({ path }) => path)
  const walked = new Set([...firstOfEach.keys(), ...operations.map(({ route }) => pathOfOperation(route))])
  t.strictSame(
    pages.filter((path) => !walked.has(path)),
    [],
    'every page that is served is looked at',
  )
  const context = await signedIn(t, await openBrowser(t), { plane, options: { bypassCSP: true } })
  const page = await context.newPage()
  for (const [route, path] of firstOfEach) {
    if (!route.startsWith('/app') || route.startsWith('/app/do/')) continue
    plane.advance(1500)
    await page.goto(`${plane.url}${path}`)
    await looksWell(t, page, { name: path })
  }
  for (const [at, { path }] of forms.entries()) {
    plane.advance(1500)
    const answer = await page.goto(`${plane.url}${path}`)
    t.equal(answer?.status(), 200, path)
    await looksWell(t, page, { name: path, seenIn: inTurn(at) })
  }
  // What was sent empty may have been accepted: these come last.
  const cookie = await sessionOf(plane)
  let failed = 0
  for (const { path } of forms.filter(({ isWritten }) => isWritten)) {
    const variant = /\?\w+=(\w+)$/.exec(path)?.[1] ?? ''
    const { status, text } = await visitPage(plane, cookie, path, { variant, _do: 'save' })
    if (status !== 400) continue
    failed++
    await page.setContent(text)
    await looksWell(t, page, { name: `${path} with errors`, seenIn: inTurn(failed) })
  }
  t.ok(failed > 20, `${failed} forms with errors`)
})
