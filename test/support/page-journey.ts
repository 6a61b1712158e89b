/**
 * A way through the dashboard by clicks alone, in a real Chromium: with scripts wide and light, without them on a phone and dark; in
 * long runs each of these with each. Where it ends fits the window, and axe finds nothing there.
 */
import t, { type Test } from 'tap'
import type { Role } from '../../control-plane/platform/words/shapes/roles.ts'
import { loopbackEnv } from './alerting.ts'
import { type TestApp, testApp } from './app.ts'
import { overflowOf, violationsOf } from './axe.ts'
import { runsIn } from './length.ts'
import { addPerson } from './members.ts'
import {
  type BrowserContextOptions,
  noChromium,
  openBrowser,
  type BrowserPage as Page,
} from './result-browser.ts'
import { signedInAs } from './visitor.ts'

/** What a click waits for at most; a page takes a part of a second on a busy machine. */
const patienceMs = 15_000

const wide = { width: 1280, height: 844 }
const phone = { width: 390, height: 844 }

export const journeyLooks = [
  { javaScriptEnabled: true, viewport: wide, colorScheme: 'light' },
  { javaScriptEnabled: false, viewport: phone, colorScheme: 'dark' },
  ...(runsIn('long')
    ? ([
        { javaScriptEnabled: true, viewport: phone, colorScheme: 'light' },
        { javaScriptEnabled: false, viewport: wide, colorScheme: 'dark' },
      ] as const)
    : []),
] as const

export type Walk<Plane = TestApp> = { t: Test; plane: Plane; page: Page; hasScripts: boolean }

/** `open`: another control plane than one with nothing in it; `looks`: fewer than all. */
type Walker<Plane> = {
  role?: Role
  open: (t: Test) => Promise<Plane>
  looks?: readonly (typeof journeyLooks)[number][]
}

const emptyPlane = (t: Test): Promise<TestApp> => testApp(t, { env: loopbackEnv })

/** A page of somebody called Ada who signed in as themselves. */
export const openAs = async (
  t: Test,
  plane: TestApp,
  { role = 'OWNER', ...options }: BrowserContextOptions & { role?: Role },
): Promise<Page> => {
  const { userId } = await addPerson(plane, { email: `${role}@example.com`.toLowerCase(), name: 'Ada', role })
  const { cookies } = await signedInAs(plane, userId)
  const context = await (await openBrowser(t)).newContext(options)
  await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: plane.url })))
  const page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  await page.goto(`${plane.url}/app`)
  return page
}

/** Each way is walked in an account of its own. */
export const journeyFrom = <Plane extends TestApp>(
  name: string,
  { role = 'OWNER', open, looks = journeyLooks }: Walker<Plane>,
  walk: (walk: Walk<Plane>) => Promise<void>,
): void => {
  for (const look of looks) {
    const { javaScriptEnabled: hasScripts, viewport, colorScheme } = look
    const ways = `${viewport.width} px, ${colorScheme}, ${hasScripts ? 'with' : 'without'} scripts`
    t.test(`${name}: ${ways}`, { skip: noChromium }, async (t) => {
      const plane = await open(t)
      const page = await openAs(t, plane, { ...look, role })
      await walk({ t, plane, page, hasScripts })
      t.equal(await overflowOf(page), 0, 'it fits')
      // axe waits for timers, which a page without scripts does not have.
      if (hasScripts) t.strictSame(await violationsOf(page), [], 'axe')
    })
  }
}

export const journey = (name: string, walk: (walk: Walk) => Promise<void>): void =>
  journeyFrom(name, { open: emptyPlane }, walk)

export type Way = readonly [place: string, page?: string]

/** By the navigation, which is a menu on phones, and the pages of a place. */
export const goTo = async (page: Page, ...[place, inPlace]: Way): Promise<void> => {
  await page.locator('.side').waitFor()
  const link = page.locator(`.side a:has-text("${place}")`).first()
  if (!(await link.isVisible())) await page.click('.side summary')
  await link.click()
  if (inPlace !== undefined) await page.click(`.tabs a:text-is("${inPlace}")`)
}

export const save = (page: Page): Promise<void> => page.click('button.main, button.danger')

/** What can be done with the row of a list. */
export const act = (page: Page, row: string, name: string): Promise<void> =>
  page.click(`main tr:has-text("${row}") a:text-is("${name}")`)

export const said = (page: Page, word: string): Promise<void> =>
  page.locator(`main [role=status]:has-text("${word}")`).first().waitFor()

export const textOf = async (page: Page, selector = 'main'): Promise<string> =>
  (await page.locator(selector).first().textContent()) ?? ''

/** Opens a fold of a form by its name. */
export const unfold = (page: Page, name: string): Promise<void> =>
  page.click(`.folds summary:has(b:text-is("${name}"))`)
