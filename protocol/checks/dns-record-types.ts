/** What a DNS check may ask for (api-facts 1.2). */
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
