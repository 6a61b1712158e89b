/** What the kernel's tables of routes say about ways out of this machine. Pure. */

/** As Linux has them, `/proc/net/route` and `/proc/net/ipv6_route`; null where there are none to read. */
export type RouteTables = {
  four: string | null
  six: string | null
  /** Whether a device is connected with nothing. */
  isUnplugged(device: string): boolean
}

/** `some`: to anywhere but this machine; `others`: to whatever has no route of its own; `plugged`: by a device that is connected. */
export type WaysOut = { some: boolean; others: boolean; plugged: boolean }

const isUp = 0x1
const isReject = 0x200

/** Null: this system does not tell. */
export const waysOut = ({ four, six, isUnplugged }: RouteTables): WaysOut | null => {
  if (four === null && six === null) return null
  const routes = [...fourRoutes(four ?? ''), ...sixRoutes(six ?? '')].filter(
    ({ device, flags }) => device !== 'lo' && (flags & isUp) !== 0 && (flags & isReject) === 0,
  )
  const devices = [...new Set(routes.map(({ device }) => device))]
  return {
    some: routes.length > 0,
    others: routes.some(({ isDefault }) => isDefault),
    plugged: devices.some((device) => !isUnplugged(device)),
  }
}

type Route = { device: string; flags: number; isDefault: boolean }

const fourRoutes = (table: string): Route[] =>
  columns(table)
    .slice(1)
    .map(([device = '', to = '', , flags = '', , , , mask = '']) => ({
      device,
      flags: Number.parseInt(flags, 16),
      isDefault: isZero(to) && isZero(mask),
    }))

/** Every device has routes for its own link and for multicast, which lead nowhere else. */
const sixRoutes = (table: string): Route[] =>
  columns(table)
    .filter(([to = '']) => !/^(fe[89ab]|ff)/.test(to))
    .map((fields) => ({
      device: fields[9] ?? '',
      flags: Number.parseInt(fields[8] ?? '', 16),
      isDefault: isZero(fields[0] ?? '') && fields[1] === '00',
    }))

const columns = (table: string): string[][] =>
  table
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.trim().split(/\s+/))

const isZero = (text: string): boolean => /^0+$/.test(text)
