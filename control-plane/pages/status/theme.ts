/** The colours of a page: ours, or the owner's. Those of states follow the brightness of the card that they are on. Pure. */
import { luminance } from '../../communication/status-pages/color-contrast.ts'
import type { ColorName, ThemeColors } from '../../communication/stored-pages/branding.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import type { PageBranding } from './model.ts'

type Palette = Record<ColorName, string>

const light: Palette = {
  bodyBackgroundColor: '#F7F8FA',
  headerBackgroundColor: '#FFFFFF',
  headerFontColor: '#12161C',
  titleFontColor: '#12161C',
  bodyFontColor: '#12161C',
  bodyFontColorMuted: '#566070',
  navigationFontColor: '#3C4655',
  linkFontColor: '#1557C0',
  cardBackgroundColor: '#FFFFFF',
  borderColor: '#E2E6EC',
  primaryButtonBackgroundColor: '#12161C',
  primaryButtonFontColor: '#FFFFFF',
}

const dark: Palette = {
  bodyBackgroundColor: '#0C0F14',
  headerBackgroundColor: '#12161D',
  headerFontColor: '#EEF1F5',
  titleFontColor: '#EEF1F5',
  bodyFontColor: '#EEF1F5',
  bodyFontColorMuted: '#9CA7B6',
  navigationFontColor: '#C3CBD6',
  linkFontColor: '#8AB8FF',
  cardBackgroundColor: '#141922',
  borderColor: '#28303C',
  primaryButtonBackgroundColor: '#EEF1F5',
  primaryButtonFontColor: '#12161C',
}

/** Each has 3:1 on every card that is bright, or dark (non-text contrast). */
const onBright = '--ok:#12805C;--warn:#A15C00;--bad:#C22D20;--work:#2F5FD0;--none:#6B7480'
const onDark = '--ok:#35C28F;--warn:#F0A83C;--bad:#FF7468;--work:#86AEFF;--none:#8E99A8'

const variables = (colors: Palette): Html =>
  html`--back:${colors.bodyBackgroundColor};--head:${colors.headerBackgroundColor};--on-head:${colors.headerFontColor};--title:${colors.titleFontColor};--text:${colors.bodyFontColor};--quiet:${colors.bodyFontColorMuted};--nav:${colors.navigationFontColor};--link:${colors.linkFontColor};--card:${colors.cardBackgroundColor};--line:${colors.borderColor};--key:${colors.primaryButtonBackgroundColor};--on-key:${colors.primaryButtonFontColor};${luminance(colors.cardBackgroundColor) > 0.25 ? onBright : onDark}`

/** @param branding Colours were checked to be colours when they were saved. */
export const themeOf = ({ themeColors, defaultTheme }: PageBranding): Html => {
  const own: ThemeColors | { light: Palette; dark: Palette } = themeColors ?? { light, dark }
  if (defaultTheme === 'LIGHT') return html`:root{color-scheme:light;${variables(own.light)}}`
  if (defaultTheme === 'DARK') return html`:root{color-scheme:dark;${variables(own.dark)}}`
  return html`:root{color-scheme:light dark;${variables(own.light)}}@media(prefers-color-scheme:dark){:root{${variables(own.dark)}}}`
}
