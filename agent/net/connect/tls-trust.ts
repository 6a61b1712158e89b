import { getCACertificates } from 'node:tls'

/**
 * What every TLS 1.2 and 1.3 server speaks. OpenSSL would offer a post-quantum share first: a client hello of several
 * packets, which some middleboxes drop, and more arithmetic for every measurement. Node takes it from the context of a
 * connection, and not from the options beside one.
 */
export const keyExchangeGroups = 'X25519:P-256:P-384:P-521'

/** The well-known authorities and further ones in PEM. */
export const trustedAuthorities = (extraCaCerts: string): string[] => [
  ...getCACertificates('default'),
  extraCaCerts,
]
