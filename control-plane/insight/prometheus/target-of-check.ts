import type { CheckDoc } from '../../monitoring/definitions/checks/check-doc.ts'
import { kindOf } from '../../monitoring/definitions/checks/types/index.ts'

type Request = { url?: unknown; hostname?: unknown; query?: unknown }

/** What blackbox_exporter's users know as `instance`. Of an address neither credentials nor query: they may hold secrets. */
export const targetOf = (type: string, { request }: Pick<CheckDoc, 'request'>, name: string): string => {
  const { url, hostname, query } = (request ?? {}) as Request
  const { target } = kindOf(type)
  if (target !== undefined) return target((request ?? {}) as Record<string, unknown>)
  if (typeof hostname === 'string') return hostname
  if (typeof query === 'string') return query
  if (typeof url === 'string') return bareAddress(url)
  return name
}

/** By its text: it may hold templates. */
const bareAddress = (url: string): string =>
  url.replace(/[?#].*$/s, '').replace(/^([a-z]+:\/\/)[^/]*@/i, '$1')
