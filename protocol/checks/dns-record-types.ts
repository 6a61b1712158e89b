/** What a DNS check may ask for. */
export const dnsRecordTypes = [
  'A',
  'AAAA',
  'CNAME',
  'MX',
  'TXT',
  'SOA',
  'NS',
  'HTTPS',
  'SRV',
  'CAA',
  'PTR',
] as const
