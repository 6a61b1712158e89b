import { type Static, Type } from 'typebox'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { StatusPageVisibility, windowSettings } from './schema.ts'

/** What `maintenance_windows.doc` holds. */
const WindowDoc = Type.Object(
  {
    ...windowSettings,
    timezone: Type.String({ default: 'UTC' }),
    /** A date (`YYYY-MM-DD`) in the time zone. */
    repeatEndsAt: nullable(Type.String(), { default: null }),
    /** Shown again, so that whoever keeps windows in a file sees no difference. */
    repeatEndsAtAsSent: nullable(Type.String(), { default: null }),
    statusPageVisibility: { ...StatusPageVisibility, default: {} },
  },
  { additionalProperties: false },
)
export type WindowDoc = Static<typeof WindowDoc>

export const windowDoc = storedDoc({ name: 'maintenance window', schema: WindowDoc })
