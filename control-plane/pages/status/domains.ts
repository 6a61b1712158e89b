/** Which page a host name means. What was looked up is kept for two seconds, also that there is none: names that strangers send cost no query each. */
import { isIP } from 'node:net'
import { boundedCache } from '../../../protocol/bounded-memo.ts'
import { proofLastsMs } from '../../communication/status-pages/domain-proof.ts'
import { pageOfDomain } from '../../communication/status-pages/publication-queries.ts'
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'

const cachedMs = 2000
const maxCached = 5000

type Known = { url: string | null; until: number }
const knownOf = perApp(() => boundedCache<string, Known>(maxCached))

/** Without port, in lower case. */
const nameOf = (host: string | undefined): string =>
  (host ?? '')
    .replace(/:\d{1,5}$/, '')
    .toLowerCase()
    .replace(/\.$/, '')

/** Our own: that of BASE_URL, addresses, and names that only a local network knows. */
export const isOwnHost = ({ config }: App, host: string | undefined): boolean => {
  const name = nameOf(host)
  if (!name.includes('.') || isIP(name) !== 0 || name.startsWith('[')) return true
  return name === URL.parse(config.baseUrl)?.hostname
}

/** Null: none that has proven it. @throws the error of the store, where the name is not known from before */
export const urlOfHost = async (app: App, host: string | undefined): Promise<string | null> => {
  const domain = nameOf(host)
  if (domain.length > 253 || !/^[a-z0-9.-]+$/.test(domain)) return null
  const known = knownOf(app).get(domain)
  const now = app.clock.now()
  if (known !== undefined && known.until > now) return known.url
  try {
    const found = await app.db.get(pageOfDomain, { domain, since: now - proofLastsMs })
    knownOf(app).set(domain, { url: found?.url ?? null, until: now + cachedMs })
    return found?.url ?? null
  } catch (error) {
    // A page outlives its store.
    if (known?.url == null) throw error
    return known.url
  }
}

export const prefixOfHost = async (app: App, host: string | undefined): Promise<string | null> => {
  const url = await urlOfHost(app, host)
  return url === null ? null : `/status/${url}`
}
