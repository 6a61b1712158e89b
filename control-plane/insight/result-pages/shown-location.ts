import type { PublicLocation } from '../../../protocol/location.ts'
import { locationNames } from '../../alerting/messages/location-names.ts'

/** `Ireland (eu-west-1)`; a private location by its slug. */
export const shownLocation = (location: string): string => {
  const name = locationNames[location as PublicLocation]
  return name === undefined ? location : `${name} (${location})`
}
