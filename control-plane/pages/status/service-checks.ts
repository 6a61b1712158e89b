/** Which checks belong to which service: those that open incidents on it (`triggerIncident`). */
import { checkDoc } from '../../monitoring/definitions/checks/check-doc.ts'
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { checksWithService } from './queries.ts'

const cachedMs = 60_000
const maxAccounts = 1000

/** `severity`: of the incident that it opens; `isActive`: it runs. */
type LinkedCheck = { id: string; severity: string; isActive: boolean }
type ServiceChecks = ReadonlyMap<string, readonly LinkedCheck[]>
const cacheOf = perApp(() => new Map<string, { checks: ServiceChecks; until: number }>())

/** By service. */
export const checksOfServices = async (app: App, accountId: string): Promise<ServiceChecks> => {
  const now = app.clock.now()
  const known = cacheOf(app).get(accountId)
  if (known !== undefined && known.until > now) return known.checks
  const rows = await app.db.all(checksWithService, { accountId, pattern: '%"serviceId":"%' })
  const checks = new Map<string, LinkedCheck[]>()
  for (const { id, doc, activated: isActive } of rows) {
    const { serviceId, severity = '' } = checkDoc.read(doc).triggerIncident ?? {}
    if (serviceId !== undefined)
      checks.set(serviceId, [...(checks.get(serviceId) ?? []), { id, severity, isActive }])
  }
  if (cacheOf(app).size >= maxAccounts) cacheOf(app).clear()
  cacheOf(app).set(accountId, { checks, until: now + cachedMs })
  return checks
}
