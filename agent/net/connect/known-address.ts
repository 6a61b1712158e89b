import { isIP } from 'node:net'

/** Names that mean one address on every machine that knows them, and where that is. */
const fixed: Record<string, string> = {
  localhost: '127.0.0.1',
  metadata: '169.254.169.254',
  'metadata.google.internal': '169.254.169.254',
  'metadata.goog': '169.254.169.254',
  'instance-data': '169.254.169.254',
  'instance-data.ec2.internal': '169.254.169.254',
}

/**
 * The address of a host that somebody else will resolve, as far as it can be known without asking: an address in any
 * spelling that resolvers understand (`0x7f.1`, `2130706433`, `0177.0.0.1`), or a name that always means the same.
 */
export const knownAddress = (host: string): string | null => {
  if (isIP(host) !== 0) return host
  // WHATWG URL reads IPv4 as inet_aton does, percent-decodes, folds full-width digits and lowers names.
  const { hostname = '' } = URL.parse(`http://${host}/`) ?? {}
  const name = hostname.replace(/\.$/, '')
  if (isIP(name) !== 0) return name
  return (name.endsWith('.localhost') ? '127.0.0.1' : fixed[name]) ?? null
}
