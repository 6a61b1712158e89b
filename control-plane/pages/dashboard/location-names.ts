/** Locations by the names that people gave them, where results have their slugs. */
import { shownLocation } from '../../alerting/messages/location-names.ts'
import { listPrivateLocations } from '../../monitoring/locations/routes.ts'
import type { RequestContext } from './request-context.ts'

export type LocationNames = (location: string) => string

export const locationNames = async (context: RequestContext): Promise<LocationNames> => {
  const { body } = await context.call(listPrivateLocations, {})
  const names = new Map(body.map(({ slugName, name }) => [slugName, name]))
  return (location) => names.get(location) ?? shownLocation(location)
}
