/** An IPv6 address as people read it (RFC 5952): IPv4 that is mapped into it shows as such (section 5). Pure. */
export const ipv6Text = (canonical: string): string => {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(canonical) ?? []
  if (high === undefined || low === undefined) return canonical
  const groups = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return `::ffff:${groups.flatMap((group) => [group >> 8, group & 255]).join('.')}`
}
