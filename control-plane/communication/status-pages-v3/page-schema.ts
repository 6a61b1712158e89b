/** Status pages as version 3 says them: the same pages, without cards, as their components are resources of their own. */
import { type Static, Type } from 'typebox'
import { pageOf } from '../../platform/words/shapes/cursor.ts'
import { DateTime, DateTimeOrNull } from '../../platform/words/shapes/instants.ts'
import { optional } from '../../platform/words/shapes/optional-fields.ts'
import { branding } from '../stored-pages/branding.ts'
import { examplePageId, pageExtras } from '../stored-pages/page-doc.ts'

const id = Type.String({ format: 'uuid' })
const name = Type.String({ minLength: 1, maxLength: 255 })
const url = Type.String({
  pattern: '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$',
  description: 'Sub-domain: letters, digits and hyphens; kept in lower case and unique',
})

const { translations: _texts, version: _version, whiteLabel: _label, isPrivate, ...shared } = branding
const fields = { ...shared, ...pageExtras }

/** Of creations and changes alike: what a change leaves out has its default again. */
export const NewStatusPageV3 = Type.Object(
  { name, url, ...optional(fields) },
  { additionalProperties: false, title: 'NewStatusPageV3' },
)

export const StatusPageV3 = Type.Object(
  {
    ...{ id, accountId: id, name, url },
    ...fields,
    isPrivate,
    ...{ created_at: DateTime, updated_at: DateTimeOrNull },
  },
  { title: 'StatusPageV3' },
)
export type StatusPageV3 = Static<typeof StatusPageV3>
export const StatusPageV3Page = pageOf(StatusPageV3, 'StatusPageV3Page')

export const exampleNewPageV3 = { name: 'Shop', url: 'shop', footerText: 'We answer from 8 to 18.' }

export const examplePageV3 = {
  ...exampleNewPageV3,
  id: examplePageId,
  accountId: '9d0f6a52-52c9-4d0a-8b3e-6c1a2f7d9b10',
  description: null,
  customDomain: null,
  themeColors: null,
  logo: null,
  logoDark: null,
  redirectTo: null,
  favicon: null,
  defaultTheme: 'AUTO',
  allowIndexing: true,
  googleAnalyticsTag: null,
  privacyPolicyLink: null,
  termsOfServiceLink: null,
  supportLink: null,
  isPrivate: false,
  created_at: '2026-01-02T00:00:00.000Z',
  updated_at: null,
}
