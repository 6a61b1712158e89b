import { Type } from 'typebox'
import { storedList } from '../../platform/store/database/stored-doc.ts'

/** Where a check runs, in turn or at once: `schedules.locations` and `check_sessions.locations`. */
export const runLocations = storedList({
  name: 'locations of runs',
  items: Type.Object({ id: Type.String(), name: Type.String() }, { additionalProperties: false }),
})
