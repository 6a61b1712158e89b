/** A status page by its id, and what its row holds beside the columns. */
import { type Static, Type } from 'typebox'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { branding } from './branding.ts'

export const StatusPageId = Type.Object({ statusPageId: Type.String({ format: 'uuid' }) })
export const examplePageId = '5d2c7b1a-9e4f-4b6d-a3c8-7f0e6d1b2a95'

const { customDomain: _, ...storedBranding } = branding

/** What `status_pages.doc` holds. */
const PageDoc = Type.Object({ name: Type.String(), ...storedBranding }, { additionalProperties: false })
export type PageDoc = Static<typeof PageDoc>

export const pageDoc = storedDoc({ name: 'status page', schema: PageDoc })
