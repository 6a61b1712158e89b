import type { CheckDoc } from '../../monitoring/definitions/checks/check-doc.ts'

type Request = { url?: unknown; hostname?: unknown; port?: unknown; query?: unknown }

/** What blackbox_exporter's users know as `instance`. Of an address neither credentials nor query: they may hold secrets. */
export const targetOf = (type: string, { request }: Pick<CheckDoc, 'request'>, name: string): string => {
  const { url, hostname, port, query } = (request ?? {}) as Request
  if (type === 'TCP') return `${hostname ?? url}:${port}`
  if (typeof hostname === 'string') return hostname
  if (typeof query === 'string') return query
  if (typeof url === 'string') return bareAddress(url)
  return name
}

/** By its text: it may hold templates. */
const bareAddress = (url: string): string =>
  url.replace(/[?#].*$/s, '').replace(/^([a-z]+:\/\/)[^/]*@/i, '$1')
