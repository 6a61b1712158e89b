import t from 'tap'
import { badgeStyles, badgeSvg, badgeThemes } from '../../../../control-plane/insight/badges/badge-svg.ts'
import { fc } from '../../../support/fast-check.ts'

const anyName = fc.string({ unit: 'binary', maxLength: 80 })
const hostile = fc.constantFrom(
  '<script>alert(1)</script>',
  '"><img src=x onerror=1>',
  "&'",
  '\u0000\u0008',
  '\ud800',
)
const attribute = '[a-zA-Z0-9:-]+="[^"<>]*"'
/** Well-formed in the small part of XML that badges use: known elements, quoted attributes, escaped text. */
const wellFormed = new RegExp(
  `^(<(svg|title|linearGradient|stop|clipPath|rect|g|text|path)( ${attribute})*/?>|</(svg|title|linearGradient|clipPath|g|text)>|[^<>&]|&(amp|lt|gt|quot|#39);)*$`,
  'u',
)

t.test('whatever a check is called, its badge is well-formed and holds no markup of it', async (t) => {
  fc.assert(
    fc.property(
      fc.oneof(anyName, hostile),
      fc.constantFrom(...badgeStyles),
      fc.constantFrom(...badgeThemes),
      (label, style, theme) => {
        const svg = badgeSvg({ label, status: 'failing', responseTime: 12.4, style, theme })
        t.match(svg, wellFormed)
        t.notMatch(svg, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/)
        t.ok(svg.isWellFormed())
        const [, width = '0'] = /^<svg [^>]*width="(\d+)"/.exec(svg) ?? []
        t.ok(Number(width) > 0 && Number(width) < 1500)
      },
    ),
    { numRuns: 300 },
  )
})

t.test('a name longer than 60 characters is shortened', async (t) => {
  const svg = badgeSvg({
    label: 'x'.repeat(61),
    status: 'passing',
    responseTime: null,
    style: 'flat',
    theme: 'default',
  })
  t.match(svg, new RegExp(`>${'x'.repeat(59)}…<`))
})
