/** What axe-core has against a page that a browser shows. By the debugger, past the policy of the page. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { runsIn } from './length.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Shown = { evaluate<T>(act: string): Promise<T> }

/** `rule: markup of the first element` of each violation: of what passes nothing is described, which took longer than to look. */
export const violationsOf = async (page: Shown): Promise<string[]> => {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe)
  return page.evaluate<string[]>(
    'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html.slice(0, 300)))',
  )
}

/** How far the page reaches beyond the window, in pixels: somebody would have to scroll sideways. */
export const overflowOf = (page: Shown): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** Things that move although the browser was asked for less motion. */
export const motionOf = (page: Shown): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll('*')].flatMap((element) =>
    [null, '::before', '::after'].flatMap((part) => {
      const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element, part)
      const moves = /[1-9]/.test(transitionDuration) || animationName !== 'none' || scrollBehavior === 'smooth'
      return moves ? [element.outerHTML.slice(0, 100) + (part ?? '')] : []
    }))`)

const lessMotion = [
  { viewport: { width: 1280, height: 800 }, colorScheme: 'light', reducedMotion: 'reduce' },
  { viewport: { width: 320, height: 700 }, colorScheme: 'dark', reducedMotion: 'reduce' },
] as const

/** Both schemes, wide and narrow; in long runs each with each, with and without a wish for less motion. */
export const looks = [
  ...lessMotion,
  ...(runsIn('long')
    ? ([
        { viewport: { width: 1280, height: 800 }, colorScheme: 'dark', reducedMotion: 'no-preference' },
        { viewport: { width: 320, height: 700 }, colorScheme: 'light', reducedMotion: 'no-preference' },
      ] as const)
    : []),
]
