/** How a status page looks, in the words of the API; all of it but the domain is in the page's document. */
import { type Static, Type } from 'typebox'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { translationsOf } from './translations.ts'

const closed = { additionalProperties: false }

export const colorNames = [
  'bodyBackgroundColor',
  'headerBackgroundColor',
  'headerFontColor',
  'titleFontColor',
  'bodyFontColor',
  'bodyFontColorMuted',
  'navigationFontColor',
  'linkFontColor',
  'cardBackgroundColor',
  'borderColor',
  'primaryButtonBackgroundColor',
  'primaryButtonFontColor',
] as const
export type ColorName = (typeof colorNames)[number]

const Color = Type.String({ pattern: '^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$', description: '#RGB or #RRGGBB' })
const palette = Object.fromEntries(colorNames.map((name) => [name, Color])) as Record<ColorName, typeof Color>
const Palette = Type.Object(palette, { ...closed, title: 'StatusPagePalette' })
export const ThemeColors = Type.Object({ light: Palette, dark: Palette }, { ...closed, title: 'ThemeColors' })
export type ThemeColors = Static<typeof ThemeColors>

const webAddress = (description: string) =>
  nullable(Type.String({ format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://', maxLength: 2048 }), {
    default: null,
    description,
  })

export const branding = {
  description: nullable(Type.String({ maxLength: 500 }), { default: null }),
  translations: translationsOf('StatusPage', {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    description: Type.String({ minLength: 1, maxLength: 500 }),
  }),
  customDomain: nullable(Type.String({ format: 'hostname', pattern: '\\.', maxLength: 253 }), {
    default: null,
    description: 'Host name; kept in lower case and unique',
  }),
  themeColors: nullable(ThemeColors, { default: null, description: 'Null: the default colours' }),
  logo: webAddress('Web address of an image'),
  logoDark: webAddress('Web address of an image for the dark theme'),
  redirectTo: webAddress('Where the logo leads'),
  favicon: webAddress('Web address of an image'),
  defaultTheme: Type.Enum(['LIGHT', 'DARK', 'AUTO'], { default: 'AUTO' }),
  version: nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }), {
    default: null,
    description: 'Of the page’s design',
  }),
  whiteLabel: Type.Boolean({ default: false }),
  isPrivate: Type.Boolean({
    default: false,
    description: 'Shown only to who knows its password, which is generated when this is switched on',
  }),
}
