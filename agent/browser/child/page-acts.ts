import { join } from 'node:path'
import type { PageAct, PageAnswer, PageTarget } from '../page-task.ts'
import { type Asserted, assertOn } from './page-assert.ts'
import { type OriginGuard, originOf } from './page-origins.ts'
import type { DrivenPage, DrivenRequest, Locator } from './page-types.ts'

type Acted = Omit<PageAnswer, 'type' | 'id'>

/** What a command did not do, in a sentence. */
export class NotDone extends Error {}

type PageTools = { guard: OriginGuard; output: string }

const openMs = 30_000
const actMs = { timeout: 10_000 }
const findMs = 5000
/** How long a page may be on its way after something was done to it. */
const settleLooks = 200
const settleEveryMs = 50
/** For a page to begin to move. */
const beginMs = 150
const maxText = 30_000

export const nothing: Acted = {
  ...{ problem: null, refused: false, url: '', title: '', text: '' },
  ...{ origins: [], passed: false, actual: '' },
}

/** Does one command; what it did and where the page is then. */
export const actOn = async (act: PageAct, tools: PageTools): Promise<Acted> => {
  const { guard } = tools
  const page = await guard.current()
  if (page === null) return refusedAt(guard)
  const done = act.act === 'open' ? await open(page, act, guard) : await perform(page, act, tools)
  await settle(page, guard)
  const after = await guard.current()
  if (after === null) return { ...refusedAt(guard), origins: done.origins ?? [] }
  const left = guard.takeRefused()
  return {
    ...nothing,
    ...done,
    ...(left.length === 0 ? {} : { refused: true, problem: sentenceOn(left) }),
    url: after.url().slice(0, 2048),
    title: (await after.title()).slice(0, 500),
  }
}

const refusedAt = (guard: OriginGuard): Acted => ({
  ...nothing,
  refused: true,
  problem: sentenceOn(guard.takeRefused()),
})

const sentenceOn = (origins: readonly string[]): string =>
  `The page wanted to go to ${origins.slice(0, 5).join(', ').slice(0, 500)}, which the task does not name: it was not let`

const open = async (
  page: DrivenPage,
  { url, follow }: Extract<PageAct, { act: 'open' }>,
  guard: OriginGuard,
): Promise<Partial<Acted>> => {
  const go = async (): Promise<string[]> => {
    const response = await page.goto(url, { timeout: openMs, waitUntil: 'load' })
    const chain: string[] = []
    for (
      let one: DrivenRequest | null = response?.request() ?? null;
      one !== null;
      one = one.redirectedFrom()
    )
      chain.push(originOf(one.url()))
    return [...new Set(chain)].filter((origin) => isNoStepBack(url, origin)).slice(0, 30)
  }
  if (!follow) {
    await go()
    return {}
  }
  const origins = await guard.following(go)
  guard.allow(origins)
  return { origins }
}

/** A page that was loaded over TLS may not lead to one without. */
const isNoStepBack = (url: string, origin: string): boolean =>
  origin.startsWith('https://') || (url.startsWith('http://') && origin.startsWith('http://'))

type Performed = Exclude<PageAct, { act: 'open' }>

const perform = async (
  page: DrivenPage,
  act: Performed,
  { guard, output }: PageTools,
): Promise<Partial<Acted>> => {
  if (!guard.allows(page.url())) throw new NotDone('No page is open yet')
  switch (act.act) {
    case 'read':
      return { text: cut(await page.locator('body').ariaSnapshot(actMs)) }
    case 'click':
      await (await find(page, act.target)).click(actMs)
      return {}
    case 'fill':
      await fill(page, act, guard)
      return {}
    case 'press':
      if (act.target === null) await page.keyboard.press(act.key)
      else await (await find(page, act.target)).press(act.key, actMs)
      return {}
    case 'screenshot':
      await page.screenshot({ path: join(output, `${act.name}.png`), timeout: 10_000 })
      return {}
    case 'assert':
      return assertion(page, act)
  }
}

const assertion = async (
  page: DrivenPage,
  { check, expected, target }: Extract<PageAct, { act: 'assert' }>,
): Promise<Asserted> => {
  const seen = await assertOn(page, { check, expected, element: target && elementsOf(page, target) })
  return { ...seen, actual: seen.actual.slice(0, 2000) }
}

/**
 * The element is held before its page is looked at: it is of one document, and when that goes it is gone, too. So nothing is filled
 * into a page that has come in between.
 */
const fill = async (
  page: DrivenPage,
  { target, value }: Extract<PageAct, { act: 'fill' }>,
  guard: OriginGuard,
): Promise<void> => {
  const element = await (await find(page, target)).elementHandle(actMs)
  if (!guard.allows(page.url())) throw new NotDone('The page has gone elsewhere')
  const isList = (await element.evaluate(({ tagName }) => tagName)) === 'SELECT'
  if (isList) await element.selectOption({ label: value }, actMs)
  else await element.fill(value, actMs)
}

const elementsOf = (page: DrivenPage, { role, name, nth }: PageTarget): Locator => {
  const all =
    role === 'text'
      ? page.getByText(name ?? '')
      : page.getByRole(role, name === undefined ? {} : { name, exact: true })
  return nth === undefined ? all : all.nth(nth)
}

const find = async (page: DrivenPage, target: PageTarget): Promise<Locator> => {
  const elements = elementsOf(page, target)
  const words = `${target.role}${target.name === undefined ? '' : ` ${JSON.stringify(target.name)}`}`
  try {
    await elements.first().waitFor({ state: 'attached', timeout: findMs })
  } catch {
    throw new NotDone(`There is no ${words} on the page`)
  }
  const count = await elements.count()
  if (count > 1) throw new NotDone(`There are ${count} of ${words} on the page: say which by nth, from 0`)
  return elements
}

/** What was done may have sent the page somewhere. */
const settle = async (page: DrivenPage, guard: OriginGuard): Promise<void> => {
  if (!page.isClosed()) await page.waitForTimeout(beginMs)
  for (let looks = 0; looks < settleLooks && !page.isClosed() && guard.isMoving(); looks += 1)
    await page.waitForTimeout(settleEveryMs)
  if (!page.isClosed())
    // One that never has it all is looked at as it is.
    await page.waitForLoadState('load', { timeout: 3000 }).catch(() => undefined)
}

const cut = (text: string): string => (text.length <= maxText ? text : `${text.slice(0, maxText)}…`)
