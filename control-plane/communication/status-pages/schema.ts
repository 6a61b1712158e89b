/**
 * Status pages: cards that list services, and how the page looks. The
 * incidents of a page are those of the services on its cards.
 */
import { type Static, Type } from 'typebox'
import { pageOf } from '../../platform/words/shapes/cursor.ts'
import { DateTime, DateTimeOrNull } from '../../platform/words/shapes/instants.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { changesOf, optional } from '../../platform/words/shapes/shared-fields.ts'
import { IncidentSummary } from '../incidents/schema.ts'
import { Service, ServiceReference } from '../status-page-services/schema.ts'

const closed = { additionalProperties: false }
const id = Type.String({ format: 'uuid' })

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

const name = Type.String({ minLength: 1, maxLength: 255 })
const url = Type.String({
  pattern: '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$',
  description: 'Sub-domain: letters, digits and hyphens; kept in lower case and unique',
})

export const looks = {
  description: nullable(Type.String({ maxLength: 500 }), { default: null }),
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

const NewCard = Type.Object(
  {
    id: Type.Optional(
      Type.String({ format: 'uuid', description: 'Of a card that is kept; left out, it gets a new one' }),
    ),
    statusPageId: Type.Optional(nullable(id, { description: 'This page; not read on creation' })),
    name,
    services: Type.Optional(Type.Array(ServiceReference, { maxItems: 100, default: [] })),
  },
  { ...closed, title: 'NewStatusPageCard' },
)
export type NewCard = Static<typeof NewCard>
const NewCards = Type.Array(NewCard, { maxItems: 100 })

export const NewStatusPage = Type.Object(
  { name, url, cards: NewCards, ...optional(looks) },
  { ...closed, title: 'NewStatusPage' },
)
export type NewStatusPage = Static<typeof NewStatusPage>

/** Name, url and cards are replaced; of the rest only what is sent changes. */
export const StatusPageChanges = Type.Object(
  { name, url, cards: NewCards, ...changesOf(looks) },
  { ...closed, title: 'StatusPageChanges' },
)
export type StatusPageChanges = Static<typeof StatusPageChanges>

const Card = Type.Object(
  { id, name, created_at: DateTime, updated_at: DateTimeOrNull, services: Type.Array(Service) },
  { title: 'StatusPageCard' },
)

export const StatusPageKey = Type.Object(
  {
    id,
    maskedKey: Type.String(),
    rawKey: Type.Optional(
      Type.String({ description: 'The password; only in the answer to the request that made it' }),
    ),
    created_at: DateTime,
    updated_at: DateTimeOrNull,
  },
  { title: 'StatusPageKey' },
)

export const StatusPage = Type.Object(
  {
    id,
    accountId: id,
    name,
    url,
    ...looks,
    cards: Type.Array(Card),
    incidents: Type.Array(IncidentSummary, { description: 'The newest 100, newest first' }),
    keys: Type.Array(StatusPageKey),
    created_at: DateTime,
    updated_at: DateTimeOrNull,
  },
  { title: 'StatusPage' },
)
export type StatusPage = Static<typeof StatusPage>

export const StatusPagePage = pageOf(StatusPage, 'StatusPagePage')
export const StatusPageId = Type.Object({ statusPageId: id })
