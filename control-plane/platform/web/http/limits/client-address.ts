/**
 * The address that a request came from. What proxies say counts only where the proxy is one of ours (`TRUSTED_PROXIES`),
 * read from the nearest hop backwards: the first that is none of ours is the client, and nothing that stands before it,
 * which the client may have written itself, is looked at.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { reachedAddress } from '../../../../../protocol/networks/ipv4-in-ipv6.ts'
import { type NetworkList, networkList } from '../../../../../protocol/networks/network-list.ts'
import { forwardedHops, type Hops, xForwardedHops } from './forwarded.ts'

export type ClientAddress = (request: IncomingMessage) => string

/** `trusted`: networks. */
export const createClientAddress = (trusted: readonly string[]): ClientAddress => {
  if (trusted.length === 0) return peerOf
  const proxies = networkList(trusted)
  return (request) => clientOf({ peer: peerOf(request), headers: request.headers }, proxies)
}

/** A socket that is closed already has none. */
const peerOf = ({ socket }: IncomingMessage): string => plainAddress(socket.remoteAddress ?? '0.0.0.0')

/** IPv4 in IPv6 as the IPv4 that it is. */
const plainAddress = (address: string): string => (address.includes(':') ? reachedAddress(address) : address)

type Arrival = { peer: string; headers: IncomingHttpHeaders }

export const clientOf = ({ peer, headers }: Arrival, proxies: NetworkList): string => {
  if (!proxies.has(peer)) return peer
  const { forwarded, 'x-forwarded-for': xForwardedFor } = headers
  const told: Array<Hops | null> = []
  if (forwarded !== undefined) told.push(forwardedHops(forwarded))
  if (xForwardedFor !== undefined) told.push(xForwardedHops(String(xForwardedFor)))
  const [client = peer, ...others] = told.map((hops) => clientAmong(hops ?? [], { peer, proxies }))
  // A proxy writes one of them and may pass the other on as the client wrote it: which one, nobody can know.
  return others.every((other) => other === client) ? client : peer
}

/** From the nearest hop backwards; one that names no address ends the way at the proxy that told of it. */
const clientAmong = (hops: Hops, { peer, proxies }: { peer: string; proxies: NetworkList }): string => {
  let nearest = peer
  for (const hop of hops.toReversed()) {
    if (hop === null) return nearest
    nearest = plainAddress(hop)
    if (!proxies.has(nearest)) return nearest
  }
  return nearest
}

/** By the names that they send of themselves: whoever unfurls links in chats and search engines is not the job that asks. */
export const linkPreviews =
  /Twitterbot|Slackbot|Googlebot|Discordbot|Facebot|TelegramBot|WhatsApp|LinkedInBot/i
