/**
 * What a check does once its group has had its say. The one place for these rules: the schedule, the
 * jobs, the alerts and `applyGroupSettings` all ask here. Pure; values are in clear or hidden, never sealed.
 *
 * | setting | rule |
 * |---|---|
 * | activated, muted | the group can stop and mute its checks, not the other way round |
 * | tags | both count |
 * | locations, privateLocations | the group's, if it names any |
 * | runParallel | the group's, unless null |
 * | retryStrategy | the group's, unless `FALLBACK`; null is no retries |
 * | alertSettings, useGlobalAlertSettings | the group's, when it sets one of them |
 * | runtimeId | the check's, else the group's |
 * | environmentVariables | together; the check's win |
 * | requests that take API defaults | headers and query parameters together, the check's win; assertions added; basic auth when the check has none |
 */

type Variable = { key: string; value?: string; sealed?: string; locked: boolean; secret?: boolean }
type BasicAuth = { username: string; password?: string; sealed?: string }

/** The parts of a request that a group can add to. */
type HttpDefaults = {
  url?: string
  headers?: Variable[]
  queryParameters?: Variable[]
  assertions?: unknown[]
  basicAuth?: BasicAuth | null
}

export type CheckSettings = {
  activated: boolean
  muted: boolean
  tags: string[]
  locations: string[] | null
  privateLocations: string[] | null
  runParallel: boolean
  /** Absent on types that are never retried. */
  retryStrategy?: object | null
  alertSettings: object | null
  useGlobalAlertSettings: boolean
  runtimeId: string | null
  environmentVariables?: Variable[] | null
  request?: unknown
}

export type GroupSettings = {
  activated: boolean
  muted: boolean
  tags: string[]
  locations: string[]
  privateLocations: string[] | null
  runParallel: boolean | null
  retryStrategy: object | 'FALLBACK' | null
  alertSettings: object | null
  useGlobalAlertSettings: boolean | null
  runtimeId: string | null
  environmentVariables: Variable[] | null
  apiCheckDefaults: HttpDefaults
}

/** The check with its group's settings; the check itself when it has no group. */
export const effectiveSettings = <C extends CheckSettings>(
  check: C,
  group: GroupSettings | null,
  { takesApiDefaults = false }: { takesApiDefaults?: boolean },
): C => {
  if (group === null) return check
  const hasGroupLocations = group.locations.length + (group.privateLocations?.length ?? 0) > 0
  return {
    ...check,
    activated: check.activated && group.activated,
    muted: check.muted || group.muted,
    tags: [...new Set([...check.tags, ...group.tags])],
    ...(hasGroupLocations
      ? { locations: group.locations, privateLocations: group.privateLocations ?? [] }
      : {}),
    runParallel: group.runParallel ?? check.runParallel,
    ...('retryStrategy' in check && group.retryStrategy !== 'FALLBACK'
      ? { retryStrategy: group.retryStrategy }
      : {}),
    ...alertRules(check, group),
    runtimeId: check.runtimeId ?? group.runtimeId,
    ...('environmentVariables' in check
      ? { environmentVariables: union(group.environmentVariables ?? [], check.environmentVariables ?? []) }
      : {}),
    ...(takesApiDefaults
      ? { request: withDefaults(check.request as HttpDefaults, group.apiCheckDefaults) }
      : {}),
  }
}

const alertRules = (
  check: CheckSettings,
  group: GroupSettings,
): Pick<CheckSettings, 'alertSettings' | 'useGlobalAlertSettings'> => {
  if (group.useGlobalAlertSettings === true)
    return { alertSettings: check.alertSettings, useGlobalAlertSettings: true }
  if (group.alertSettings !== null)
    return { alertSettings: group.alertSettings, useGlobalAlertSettings: false }
  return { alertSettings: check.alertSettings, useGlobalAlertSettings: check.useGlobalAlertSettings }
}

/** The group's first, then the check's; one of the check's takes the place of the group's of that key. */
const union = <V extends { key: string }>(
  group: readonly V[],
  check: readonly V[],
  nameOf: (item: V) => string = ({ key }) => key,
): V[] => {
  const own = new Set(check.map(nameOf))
  return [...group.filter((item) => !own.has(nameOf(item))), ...check]
}

const headerName = ({ key }: { key: string }): string => key.toLowerCase()

const withDefaults = (request: HttpDefaults, defaults: HttpDefaults): HttpDefaults => ({
  ...request,
  headers: union(defaults.headers ?? [], request.headers ?? [], headerName),
  queryParameters: union(defaults.queryParameters ?? [], request.queryParameters ?? []),
  assertions: [...(request.assertions ?? []), ...(defaults.assertions ?? [])],
  basicAuth: request.basicAuth ?? (isSet(defaults.basicAuth) ? defaults.basicAuth : null),
})

/** Both parts empty is a form that was never filled in. */
const isSet = (auth: BasicAuth | null | undefined): auth is BasicAuth =>
  auth !== null && auth !== undefined && (auth.username !== '' || (auth.password ?? auth.sealed ?? '') !== '')
