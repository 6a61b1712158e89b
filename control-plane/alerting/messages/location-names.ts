import type { PublicLocation } from '../../../protocol/location.ts'
import type { Content } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'

/** Friendly names of the public data-center locations. */
export const locationNames: Record<PublicLocation, string> = {
  'us-east-1': 'N. Virginia',
  'us-east-2': 'Ohio',
  'us-west-1': 'N. California',
  'us-west-2': 'Oregon',
  'ca-central-1': 'Montreal',
  'sa-east-1': 'São Paulo',
  'eu-west-1': 'Ireland',
  'eu-central-1': 'Frankfurt',
  'eu-west-2': 'London',
  'eu-west-3': 'Paris',
  'eu-north-1': 'Stockholm',
  'eu-south-1': 'Milan',
  'me-south-1': 'Bahrain',
  'ap-southeast-1': 'Singapore',
  'ap-northeast-1': 'Tokyo',
  'ap-east-1': 'Hong Kong',
  'ap-southeast-2': 'Sydney',
  'ap-southeast-3': 'Jakarta',
  'ap-northeast-2': 'Seoul',
  'ap-northeast-3': 'Osaka',
  'ap-south-1': 'Mumbai',
  'af-south-1': 'Cape Town',
}

/** `Ireland (eu-west-1)`, in the reader's language; a private location by its slug. */
export const locationInWords = (location: string): Content => {
  const name = locationNames[location as PublicLocation]
  return name === undefined ? location : [say(name), ` (${location})`]
}
