import { Type } from 'typebox'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'

/** What `private_locations.doc` holds. */
const LocationDoc = Type.Object({
  icon: Type.String({ default: 'location' }),
  /** proxy-url.ts */
  sealedProxyUrl: nullable(Type.String(), { default: null }),
})

export const locationDoc = storedDoc({ name: 'private location', schema: LocationDoc })
