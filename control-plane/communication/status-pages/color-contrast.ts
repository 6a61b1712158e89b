/** Whether people can read what a page's colours make of it: 4.5:1 between text and what is behind it (WCAG 2.2, 1.4.3). Pure. */
import type { ColorName, ThemeColors } from '../stored-pages/branding.ts'

const leastContrast = 4.5

type ContrastWarning = { message: string }

/** Text, and what it may stand on. */
const pairs: ReadonlyArray<readonly [text: ColorName, behind: readonly ColorName[]]> = [
  ['headerFontColor', ['headerBackgroundColor']],
  ['navigationFontColor', ['headerBackgroundColor']],
  ['titleFontColor', ['bodyBackgroundColor', 'cardBackgroundColor']],
  ['bodyFontColor', ['bodyBackgroundColor', 'cardBackgroundColor']],
  ['bodyFontColorMuted', ['bodyBackgroundColor', 'cardBackgroundColor']],
  ['linkFontColor', ['bodyBackgroundColor', 'cardBackgroundColor']],
  ['primaryButtonFontColor', ['primaryButtonBackgroundColor']],
]

/** What of them is hard to read: they are taken all the same, as other services take them. */
export const contrastWarnings = (colors: ThemeColors | null | undefined): ContrastWarning[] =>
  colors === null || colors === undefined
    ? []
    : (['light', 'dark'] as const).flatMap((theme) => problemsOf(theme, colors[theme]))

const problemsOf = (theme: 'light' | 'dark', palette: ThemeColors['light']): ContrastWarning[] =>
  pairs.flatMap(([text, behind]) =>
    behind.flatMap((back) => {
      const found = contrast(palette[text], palette[back])
      if (found >= leastContrast) return []
      const path = `themeColors.${theme}.${text}`
      const shown = (Math.floor(found * 100) / 100).toFixed(2)
      const message = `"${path}" has a contrast of ${shown}:1 on "themeColors.${theme}.${back}": text needs ${leastContrast}:1`
      return { message }
    }),
  )

export const contrast = (a: string, b: string): number => {
  const [bright, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (bright + 0.05) / (dark + 0.05)
}

/** Relative luminance of `#RGB` or `#RRGGBB`, from 0 to 1. */
export const luminance = (color: string): number => {
  const digits = color.length === 4 ? color.slice(1).replace(/./g, '$&$&') : color.slice(1)
  const [r = 0, g = 0, b = 0] = [0, 2, 4].map((at) =>
    linear(Number.parseInt(digits.slice(at, at + 2), 16) / 255),
  )
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

const linear = (channel: number): number =>
  channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
