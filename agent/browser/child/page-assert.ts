import type { PageCheck } from '../page-task.ts'
import type { DrivenPage, Locator } from './page-types.ts'

export type Asserted = { passed: boolean; actual: string }

/** `element` is null for checks of the page itself. */
type Assertion = { check: PageCheck; expected: string; element: Locator | null }

/** Pages need a moment to show what they will show. */
const maxChecks = 20
const everyMs = 250
const onceMs = { timeout: 1000 }
/** Of elements with one text; further ones are not looked at. */
const maxSame = 20

/** Looks until it holds, or for a while. */
export const assertOn = async (page: DrivenPage, assertion: Assertion): Promise<Asserted> => {
  let seen = await look(page, assertion)
  for (let count = 1; count < maxChecks && !seen.passed; count += 1) {
    await page.waitForTimeout(everyMs)
    seen = await look(page, assertion)
  }
  return seen
}

const look = async (page: DrivenPage, { check, expected, element }: Assertion): Promise<Asserted> => {
  const is = (actual: string): Asserted => ({ passed: actual === expected, actual })
  const contains = (actual: string): Asserted => ({ passed: actual.includes(expected), actual })
  const shown = (isShown: boolean, wanted: boolean): Asserted => ({
    passed: isShown === wanted,
    actual: isShown ? 'visible' : 'not visible',
  })
  switch (check) {
    case 'url_is':
      return is(page.url())
    case 'url_contains':
      return contains(page.url())
    case 'title_is':
      return is(await page.title())
    case 'title_contains':
      return contains(await page.title())
    case 'text_visible':
    case 'text_not_visible':
      return shown(await isAnyVisible(page.getByText(expected)), check === 'text_visible')
    default:
  }
  if (element === null) return { passed: false, actual: 'no element was named' }
  if (check === 'element_count_is') return is(String(await element.count()))
  if (check === 'element_visible' || check === 'element_not_visible')
    return shown(await isAnyVisible(element), check === 'element_visible')
  if ((await element.count()) === 0) return { passed: false, actual: 'there is no such element' }
  if (check === 'element_value_is') return is(await element.first().inputValue(onceMs))
  const text = await element.first().innerText(onceMs)
  return check === 'element_text_is' ? is(text.trim()) : contains(text)
}

const isAnyVisible = async (elements: Locator): Promise<boolean> => {
  const count = Math.min(maxSame, await elements.count())
  for (let index = 0; index < count; index += 1) if (await elements.nth(index).isVisible()) return true
  return false
}
