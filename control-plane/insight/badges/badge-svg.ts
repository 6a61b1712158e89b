/** A badge as SVG: a name on the left, a status on the right. Pure: no fonts, no scripts, nothing loaded from elsewhere. */
import { escapeHtml } from '../../../protocol/escape-html.ts'
import { textWidth } from './text-width.ts'

export const badgeStyles = ['flat', 'plastic', 'flat-square', 'for-the-badge', 'social'] as const
type BadgeStyle = (typeof badgeStyles)[number]
export const badgeThemes = ['light', 'dark', 'default'] as const
type BadgeTheme = (typeof badgeThemes)[number]
export type BadgeStatus = 'passing' | 'degraded' | 'failing' | 'unknown' | 'stale' | 'paused' | 'no data'

export type Badge = {
  label: string
  status: BadgeStatus
  /** Instead of the status; its colour stays. */
  word?: string
  /** Milliseconds; null to leave it out. */
  responseTime: number | null
  style: BadgeStyle
  theme: BadgeTheme
}

/** White text on each has a contrast of at least 4.5 (WCAG 2.2, 1.4.3). */
const statusColors: Record<BadgeStatus, string> = {
  passing: '#1a7f37',
  degraded: '#9a6700',
  failing: '#cf222e',
  unknown: '#6e7781',
  stale: '#6e7781',
  paused: '#6e7781',
  'no data': '#6e7781',
}

type LabelColors = { background: string; text: string; border: string }
const labelColors: Record<BadgeTheme, LabelColors> = {
  default: { background: '#555555', text: '#ffffff', border: '#444444' },
  light: { background: '#eaeef2', text: '#24292f', border: '#d0d7de' },
  dark: { background: '#161b22', text: '#e6edf3', border: '#30363d' },
}

const maxLabelLength = 60
const fonts = 'Verdana,Geneva,DejaVu Sans,sans-serif'

type Layout = {
  height: number
  padding: number
  radius: number
  size: number
  letterSpacing: number
  bold: boolean
}
const layouts: Record<BadgeStyle, Layout> = {
  flat: { height: 20, padding: 6, radius: 3, size: 11, letterSpacing: 0, bold: false },
  plastic: { height: 18, padding: 6, radius: 4, size: 11, letterSpacing: 0, bold: false },
  'flat-square': { height: 20, padding: 6, radius: 0, size: 11, letterSpacing: 0, bold: false },
  'for-the-badge': { height: 28, padding: 12, radius: 0, size: 10, letterSpacing: 1.25, bold: true },
  social: { height: 20, padding: 6, radius: 4, size: 11, letterSpacing: 0, bold: true },
}

export const badgeSvg = ({ label, status, word = status, responseTime, style, theme }: Badge): string => {
  const layout = layouts[style]
  const upper = (text: string) => (style === 'for-the-badge' ? text.toUpperCase() : text)
  const left = upper(shortened(printable(label)))
  const right = upper(responseTime === null ? word : `${word} | ${Math.round(responseTime)} ms`)
  const parts = { left, right, layout, colors: labelColors[theme], color: statusColors[status] }
  return style === 'social' ? social(parts, theme) : solid(parts, style)
}

type Parts = { left: string; right: string; layout: Layout; colors: LabelColors; color: string }

const solid = ({ left, right, layout, colors, color }: Parts, style: BadgeStyle): string => {
  const { height, padding, radius } = layout
  const leftWidth = textWidth(left, layout) + 2 * padding
  const width = leftWidth + textWidth(right, layout) + 2 * padding
  const gloss =
    style === 'plastic'
      ? '<linearGradient id="g" x2="0" y2="1"><stop offset="0" stop-color="#fff" stop-opacity=".35"/>' +
        '<stop offset=".5" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-opacity=".2"/></linearGradient>'
      : ''
  return svg({
    width,
    height,
    title: `${left}: ${right}`,
    body:
      `${gloss}<clipPath id="r"><rect width="${width}" height="${height}" rx="${radius}"/></clipPath>` +
      `<g clip-path="url(#r)"><rect width="${leftWidth}" height="${height}" fill="${colors.background}"/>` +
      `<rect x="${leftWidth}" width="${width - leftWidth}" height="${height}" fill="${color}"/>` +
      `${gloss === '' ? '' : `<rect width="${width}" height="${height}" fill="url(#g)"/>`}</g>` +
      text(left, { x: padding, fill: colors.text, layout }) +
      text(right, { x: leftWidth + padding, fill: '#ffffff', layout }),
  })
}

const gap = 6

/** A button and a speech bubble beside it. */
const social = ({ left, right, layout, colors, color }: Parts, theme: BadgeTheme): string => {
  const { height, padding, radius } = layout
  const button = theme === 'default' ? labelColors.light : colors
  const leftWidth = textWidth(left, layout) + 2 * padding
  const rightWidth = textWidth(right, layout) + 2 * padding
  const bubbleX = leftWidth + gap
  const frame = (x: number, width: number, fill: string, stroke: string) =>
    `<rect x="${x + 0.5}" y=".5" width="${width - 1}" height="${height - 1}" rx="${radius}" fill="${fill}" stroke="${stroke}"/>`
  const middle = height / 2
  return svg({
    width: bubbleX + rightWidth,
    height,
    title: `${left}: ${right}`,
    body:
      frame(0, leftWidth, button.background, button.border) +
      frame(bubbleX, rightWidth, color, color) +
      `<path d="M${bubbleX + 1} ${middle - 4}l-5 4 5 4z" fill="${color}"/>` +
      text(left, { x: padding, fill: button.text, layout }) +
      text(right, { x: bubbleX + padding, fill: '#ffffff', layout }),
  })
}

type Frame = { width: number; height: number; title: string; body: string }

const svg = ({ width, height, title, body }: Frame): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
  `role="img" aria-label="${escapeHtml(title)}"><title>${escapeHtml(title)}</title>${body}</svg>`

/** `textLength` makes any font fit the width that was laid out. */
const text = (content: string, { x, fill, layout }: { x: number; fill: string; layout: Layout }): string => {
  const { height, size, bold, letterSpacing } = layout
  const length = textWidth(content, layout) - letterSpacing
  return (
    `<text x="${x}" y="${height / 2}" dy=".36em" fill="${fill}" font-family="${fonts}" font-size="${size}" ` +
    `${bold ? 'font-weight="700" ' : ''}textLength="${length}" lengthAdjust="spacing" ` +
    `xml:space="preserve">${escapeHtml(content)}</text>`
  )
}

const shortened = (label: string): string => {
  const characters = [...label]
  return characters.length <= maxLabelLength ? label : `${characters.slice(0, maxLabelLength - 1).join('')}…`
}

/** XML 1.0 has no place for most control characters, not even escaped. */
const printable = (label: string): string =>
  label
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
    .replace(/[\ufffe\uffff]/g, '\ufffd')
