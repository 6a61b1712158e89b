import { type Static, Type } from 'typebox'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { looks } from './schema.ts'

const { customDomain: _, ...storedLooks } = looks

/** What `status_pages.doc` holds. */
const PageDoc = Type.Object({ name: Type.String(), ...storedLooks }, { additionalProperties: false })
export type PageDoc = Static<typeof PageDoc>

export const pageDoc = storedDoc({ name: 'status page', schema: PageDoc })
