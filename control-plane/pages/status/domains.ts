/** Which page a host name means. What was looked up is kept for two seconds, also that there is none: names that strangers send cost no query each. */
import { isIP } from 'node:net'
import { boundedCache } from '../../../protocol/bounded-memo.ts'
import { isDomainProven } from '../../communication/dashboards/dashboard-domain.ts'
import { findDashboardByName } from '../../communication/dashboards/queries.ts'
import { proofLastsMs } from '../../communication/status-pages/domain-proof.ts'
import { pageOfDomain } from '../../communication/status-pages/publication-queries.ts'
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'

const cachedMs = 2000
const maxCached = 5000

type Known = { prefix: string | null; until: number }
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

/** Where the page of a host begins; null: none that has proven it. @throws the error of the store, where the name is not known from before */
export const prefixOfHost = async (app: App, host: string | undefined): Promise<string | null> => {
  const domain = nameOf(host)
  if (domain.length > 253 || !/^[a-z0-9.-]+$/.test(domain)) return null
  const known = knownOf(app).get(domain)
  const now = app.clock.now()
  if (known !== undefined && known.until > now) return known.prefix
  try {
    const prefix = await prefixOfDomain(app, domain)
    knownOf(app).set(domain, { prefix, until: now + cachedMs })
    return prefix
  } catch (error) {
    // A page outlives its store.
    if (known?.prefix == null) throw error
    return known.prefix
  }
}

const prefixOfDomain = async (app: App, domain: string): Promise<string | null> => {
  const now = app.clock.now()
  const page = await app.db.get(pageOfDomain, { domain, since: now - proofLastsMs })
  if (page !== undefined) return `/status/${page.url}`
  const dashboard = await app.db.get(findDashboardByName, { kind: 'DOMAIN', name: domain })
  return dashboard !== undefined && isDomainProven(dashboard, now)
    ? `/dashboards/${dashboard.custom_url}`
    : null
}
