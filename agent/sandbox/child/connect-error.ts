import { isIP } from 'node:net'
import { constants } from 'node:os'
import { domainToASCII } from 'node:url'

/** What Node's own sockets fail with, from a code and the address that it is about, if the egress proxy knows it. */
export const connectError = (text: string, { host, port }: { host: string; port: number }): Error => {
  const [code = '', address = host] = text.split(' ')
  const number = (constants.errno as Record<string, number>)[code]
  const errno = number === undefined ? {} : { errno: -number }
  return isOfLookup.test(code)
    ? lookupError(code, 'getaddrinfo', host)
    : Object.assign(new Error(`connect ${code} ${address}:${port}`), {
        ...errno,
        ...{ code, syscall: 'connect', address, port },
      })
}

const isOfLookup = /^(ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL|EREFUSED|ETIMEOUT|EFORMERR|ENOTIMP)$/

export const lookupError = (code: string, syscall: string, hostname: string): Error =>
  Object.assign(new Error(`${syscall} ${code} ${hostname}`), { code, syscall, hostname })

/** A host as it is asked for, or null if no name can be like that. */
export const askedName = (host: string): string | null => {
  const name = isIP(host) !== 0 || /^[\x21-\x7e]+$/.test(host) ? host : domainToASCII(host)
  return name === '' || name.length > 255 ? null : name
}
