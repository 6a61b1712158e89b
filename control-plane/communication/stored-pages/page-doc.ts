/** A status page by its id, and what its row holds beside the columns. */
import { type Static, Type } from 'typebox'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { branding } from './branding.ts'

export const StatusPageId = Type.Object({ statusPageId: Type.String({ format: 'uuid' }) })
export const examplePageId = '5d2c7b1a-9e4f-4b6d-a3c8-7f0e6d1b2a95'

const { customDomain: _, ...storedBranding } = branding

const link = (description: string) =>
  nullable(Type.String({ pattern: '^([Hh][Tt][Tt][Pp][Ss]?://|mailto:).+$', maxLength: 2048 }), {
    default: null,
    description,
  })

/** What the pages of version 3 have beside it; older versions keep it as it is. */
export const pageExtras = {
  footerText: nullable(Type.String({ maxLength: 1000 }), { default: null }),
  allowIndexing: Type.Boolean({ default: true, description: 'Whether search engines may list it' }),
  googleAnalyticsTag: nullable(Type.String({ maxLength: 64 }), {
    default: null,
    description: 'Kept for clients that send it; pages load nothing of others',
  }),
  privacyPolicyLink: link('Where the privacy policy is'),
  termsOfServiceLink: link('Where the terms of service are'),
  supportLink: link('Where visitors find help'),
}

/** What a component of a page has beside its name and place. */
export const componentFields = {
  description: nullable(Type.String({ maxLength: 2000 }), { default: null }),
  hidden: Type.Boolean({ default: false, description: 'Not shown to visitors' }),
  expandedByDefault: Type.Boolean({ default: true, description: 'Of a group; pages show all of them open' }),
}
const ComponentDoc = Type.Object(componentFields, { additionalProperties: false })
export const componentDoc = storedDoc({ name: 'component of a status page', schema: ComponentDoc })

/** What `status_pages.doc` holds. */
const PageDoc = Type.Object(
  { name: Type.String(), ...storedBranding, ...pageExtras },
  { additionalProperties: false },
)
export type PageDoc = Static<typeof PageDoc>

export type PageExtras = Pick<PageDoc, keyof typeof pageExtras>

export const pageDoc = storedDoc({ name: 'status page', schema: PageDoc })
