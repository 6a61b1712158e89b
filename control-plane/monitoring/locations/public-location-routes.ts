import { Type } from 'typebox'
import { locationNames, publicLocations } from '../../../protocol/location.ts'
import { type Route, route } from '../../platform/web/http/route.ts'

const Location = Type.Object(
  {
    region: Type.String({ description: 'What `locations` of checks and groups take' }),
    name: Type.String(),
  },
  { title: 'Location' },
)

const list = route({
  method: 'GET',
  path: '/v1/locations',
  access: 'PUBLIC',
  tag: 'Locations',
  summary: 'All public locations',
  description:
    'A public location is one that agents with its key serve; runs in one that nobody serves are missed runs.',
  status: 200,
  response: Type.Array(Location),
  example: { response: [{ region: 'eu-west-1', name: 'Ireland' }] },
  handle: () => publicLocations.map((region) => ({ region, name: locationNames[region] })),
})

export const locationRoutes: Route[] = [list]
