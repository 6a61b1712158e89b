/** `example.com:80`; an IPv6 address in brackets, as RFC 3986, section 3.2.2 has it. */
export const hostAndPort = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
