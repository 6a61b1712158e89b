/** The addresses from which checks of each location leave, as the operator says them: whoever is watched lets them in. */
import { Type } from 'typebox'
import { parseNetwork } from '../../../protocol/networks/network-list.ts'
import type { App } from '../../platform/app/app.ts'
import type { Reader, Variable } from '../../platform/settings/reading.ts'
import { type Route, route } from '../../platform/web/http/route.ts'

/** By location, addresses and networks. */
export type StaticAddresses = ReadonlyMap<string, readonly string[]>

type HasStaticAddresses = { config: { locationAddresses: StaticAddresses } }

export const staticAddressVariables: readonly Variable[] = [
  {
    name: 'LOCATION_ADDRESSES',
    default: 'none',
    meaning:
      'addresses that checks of locations come from, told at /v1/static-ips: eu-west-1=192.0.2.10,eu-west-1=2001:db8::/64,office=198.51.100.7',
  },
]

export const readStaticAddresses = ({ text, problems }: Reader): StaticAddresses => {
  const addresses = new Map<string, string[]>()
  for (const item of (text('LOCATION_ADDRESSES') ?? '').split(',').map((each) => each.trim())) {
    if (item === '') continue
    const [, location = '', address = ''] = /^([a-z0-9-]{1,64})=(.+)$/i.exec(item) ?? []
    if (parseNetwork(address) === null)
      problems.push(`LOCATION_ADDRESSES: ${item} is not <location>=<address or network>`)
    else addresses.set(location, [...(addresses.get(location) ?? []), address])
  }
  return addresses
}

type Family = { path: string; words: string; isOf(address: string): boolean; example: string }

const families: readonly Family[] = [
  {
    path: '/v1/static-ips',
    words: 'IPv4',
    isOf: (address) => !address.includes(':'),
    example: '192.0.2.10',
  },
  {
    path: '/v1/static-ipv6s',
    words: 'IPv6',
    isOf: (address) => address.includes(':'),
    example: '2001:db8::/64',
  },
]

const byLocation = ({ config }: HasStaticAddresses, { isOf }: Family): Record<string, string[]> =>
  Object.fromEntries(
    [...config.locationAddresses]
      .map(([location, addresses]) => [location, addresses.filter(isOf)] as const)
      .filter(([, addresses]) => addresses.length > 0),
  )

const all = (app: HasStaticAddresses, family: Family): string[] => [
  ...new Set(Object.values(byLocation(app, family)).flat()),
]

const routesOf = (family: Family): Route<App & HasStaticAddresses>[] => {
  const shared = {
    method: 'GET',
    access: 'PUBLIC',
    tag: 'Locations',
    description: 'What the operator says in `LOCATION_ADDRESSES`; empty where nothing is said.',
    status: 200,
  } as const
  const { path, words, example } = family
  return [
    route({
      ...shared,
      path,
      summary: `${words} addresses of all locations`,
      response: Type.Array(Type.String()),
      example: { response: [example] },
      handle: (_, app: App & HasStaticAddresses) => all(app, family),
    }),
    route({
      ...shared,
      path: `${path}-by-region`,
      summary: `${words} addresses by location`,
      response: Type.Record(Type.String(), Type.Array(Type.String())),
      example: { response: { 'eu-west-1': [example] } },
      handle: (_, app: App & HasStaticAddresses) => byLocation(app, family),
    }),
    route({
      ...shared,
      path: `${path}.txt`,
      summary: `${words} addresses of all locations, a line each`,
      response: Type.String(),
      responseType: 'text/plain',
      example: { response: `${example}\n` },
      handle: (_, app: App & HasStaticAddresses) =>
        all(app, family)
          .map((address) => `${address}\n`)
          .join(''),
    }),
  ]
}

export const staticAddressRoutes: Route<App & HasStaticAddresses>[] = families.flatMap(routesOf)
