/** Uptime Kuma's backup, or its database read into the same shape. */
import type { Json } from '../kinds.ts'
import { assertion, httpCheck, type Imported, reference, scheduled, statusAssertions } from './imported.ts'
import { channelOfKuma } from './kuma-channels.ts'

/** As a backup has it. */
export type KumaMonitor = Json & { id: number; name: string; type: string }
export type KumaBackup = {
  monitorList: KumaMonitor[]
  notificationList?: (Json & { id: number; name: string })[]
  /** Only in the database. */
  statusPageCount?: number
  maintenanceCount?: number
}

export const importKuma = (imported: Imported, backup: KumaBackup, location: string): void => {
  const channels = new Map<string, string>()
  for (const notification of backup.notificationList ?? []) {
    const key = channelOfKuma(imported, notification)
    if (key !== null) channels.set(String(notification.id), key)
  }
  const groups = new Map<unknown, string>()
  for (const { id, name, type, tags } of backup.monitorList)
    if (type === 'group') {
      const body = { name, tags: tagsOf(tags), locations: [], privateLocations: [location] }
      groups.set(id, imported.add('group', name, body))
    }
  for (const monitor of backup.monitorList) {
    if (monitor.type === 'group') {
      if (isSet(monitor['parent']))
        imported.note(monitor.name, 'groups are not within groups: it stands beside')
      continue
    }
    const body = checkOf(imported, monitor)
    if (body === null) continue
    const subscriptions = subscribed(monitor['notificationIDList'], channels)
    const group = groups.get(monitor['parent'])
    imported.add('check', monitor.name, {
      ...body,
      ...(group === undefined ? {} : { groupId: reference('group', group) }),
      ...(body['checkType'] === 'HEARTBEAT' ? {} : { privateLocations: [location] }),
      ...(subscriptions.length > 0 ? { alertChannelSubscriptions: subscriptions } : {}),
    })
  }
  if ((backup.statusPageCount ?? 0) > 0)
    imported.note(
      `${backup.statusPageCount} status pages`,
      'their pages show monitors, ours services: make them anew',
    )
  if ((backup.maintenanceCount ?? 0) > 0)
    imported.note(`${backup.maintenanceCount} maintenances`, 'make windows anew')
}

const isSet = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && value !== 0 && value !== false

const tagsOf = (tags: unknown): string[] =>
  Array.isArray(tags)
    ? [...new Set(tags.map(({ name, value }) => (isSet(value) ? `${name}:${value}` : String(name))))]
    : []

const subscribed = (list: unknown, channels: ReadonlyMap<string, string>): Json[] =>
  Object.entries((list ?? {}) as Json)
    .filter(([, isOn]) => isSet(isOn))
    .flatMap(([id]) => channels.get(id) ?? [])
    .map((key) => ({ alertChannelId: reference('channel', key) }))

const checkOf = (imported: Imported, monitor: KumaMonitor): Json | null => {
  const { name, type } = monitor
  const description = monitor['description']
  const common = {
    name,
    activated: isSet(monitor['active']),
    tags: tagsOf(monitor['tags']),
    ...(isSet(description) ? { description: String(description).slice(0, 500) } : {}),
  }
  if (type === 'push') return pushCheck(imported, monitor, common)
  const run = {
    ...common,
    ...scheduled(imported, name, Number(monitor['interval'] ?? 60)),
    ...retries(monitor),
  }
  const hostname = String(monitor['hostname'] ?? '')
  if (['http', 'keyword', 'json-query'].includes(type)) return httpOf(imported, monitor, run)
  if (type === 'port')
    return {
      checkType: 'TCP',
      ...run,
      ...upsideDown(monitor),
      request: { hostname, port: Number(monitor['port']) },
    }
  if (type === 'ping') return { checkType: 'ICMP', ...run, request: { hostname } }
  if (type === 'dns') return dnsOf(imported, monitor, run)
  imported.note(name, `there is no check of the type ${type}`)
  return null
}

const upsideDown = (monitor: KumaMonitor): Json => (isSet(monitor['upsideDown']) ? { shouldFail: true } : {})

const retries = (monitor: KumaMonitor): Json => {
  const count = Math.min(10, Number(monitor['maxretries'] ?? 0))
  if (count === 0) return {}
  const seconds = Math.min(600, Number(monitor['retryInterval'] ?? 60))
  return { retryStrategy: { type: 'FIXED', maxRetries: count, baseBackoffSeconds: seconds } }
}

/** Kuma waits for the interval and then some; so does the grace. */
const pushCheck = (imported: Imported, monitor: KumaMonitor, common: Json): Json => {
  const period = Math.max(30, Number(monitor['interval'] ?? 60))
  const grace = Number(monitor['retryInterval'] ?? 60) * Number(monitor['maxretries'] ?? 0)
  imported.note(monitor.name, 'whoever pushes needs the new address of the heartbeat (its page shows it)')
  return {
    checkType: 'HEARTBEAT',
    ...common,
    heartbeat: { period, periodUnit: 'seconds', grace, graceUnit: 'seconds' },
  }
}

const dnsOf = (imported: Imported, monitor: KumaMonitor, run: Json): Json => {
  const server =
    String(monitor['dns_resolve_server'] ?? '')
      .split(',')[0]
      ?.trim() ?? ''
  const port = Number(monitor['port'] ?? 53)
  if (isSet(monitor['conditions']) && JSON.stringify(monitor['conditions']) !== '[]')
    imported.note(monitor.name, 'its conditions are not carried over: say them as assertions')
  return {
    checkType: 'DNS',
    ...run,
    request: {
      query: String(monitor['hostname']),
      recordType: String(monitor['dns_resolve_type'] ?? 'A'),
      ...(server === '' ? {} : { nameServer: server, ...(port === 53 ? {} : { port }) }),
    },
  }
}

const httpOf = (imported: Imported, monitor: KumaMonitor, run: Json): Json => {
  const { name } = monitor
  const redirects = Number(monitor['maxredirects'] ?? 10)
  if (isSet(monitor['proxyId']))
    imported.note(name, 'its proxy is not carried over: proxies are a setting of locations')
  if (isSet(monitor['upsideDown']))
    imported.note(name, 'upside down: here only error statuses count as passing')
  if (String(monitor['authMethod'] ?? 'basic') !== 'basic' && isSet(monitor['authMethod']))
    imported.note(name, `there is no authentication by ${monitor['authMethod']}: a set-up script can do it`)
  const timeout = Math.round(Number(monitor['timeout'] ?? 0) * 1000)
  const limits =
    timeout > 0
      ? { maxResponseTime: Math.min(30_000, timeout), degradedResponseTime: Math.min(30_000, timeout) }
      : {}
  return httpCheck(
    { ...run, ...upsideDown(monitor), ...limits },
    {
      url: String(monitor['url']),
      method: String(monitor['method'] ?? 'GET'),
      ...(isSet(monitor['ignoreTls']) ? { skipSSL: true } : {}),
      ...(redirects === 0 ? { followRedirects: false } : {}),
      assertions: [...statusOf(imported, monitor), ...contentOf(imported, monitor)],
      ...headersOf(imported, monitor),
      ...bodyOf(monitor),
      ...basicAuthOf(imported, monitor),
    },
  )
}

const statusOf = (imported: Imported, monitor: KumaMonitor): Json[] => {
  // What fails without an assertion fails upside down, too.
  if (isSet(monitor['upsideDown'])) return []
  const codes = (monitor['accepted_statuscodes'] ?? ['200-299']) as string[]
  const assertions = statusAssertions(codes)
  if (assertions === null)
    imported.note(monitor.name, `accepts the statuses ${codes.join(', ')}: here those below 400`)
  return assertions ?? []
}

const contentOf = (imported: Imported, monitor: KumaMonitor): Json[] => {
  if (monitor.type === 'keyword')
    return [
      assertion(
        'TEXT_BODY',
        isSet(monitor['invertKeyword']) ? 'NOT_CONTAINS' : 'CONTAINS',
        String(monitor['keyword'] ?? ''),
      ),
    ]
  if (monitor.type !== 'json-query') return []
  const path = String(monitor['jsonPath'] ?? '$')
  const comparisons: Readonly<Record<string, string>> = {
    ...{ '==': 'EQUALS', '!=': 'NOT_EQUALS', '<': 'LESS_THAN', '>': 'GREATER_THAN', contains: 'CONTAINS' },
  }
  const comparison = comparisons[String(monitor['jsonPathOperator'] ?? '==')] ?? 'EQUALS'
  const property = path.startsWith('$') ? path : `$.${path}`
  if (!/^\$[\w.[\]$]*$/.test(property))
    imported.note(monitor.name, `look at its path ${path}: kuma reads JSONata, a check JSONPath`)
  return [assertion('JSON_BODY', comparison, String(monitor['expectedValue'] ?? ''), property)]
}

const secretHeader = /^(authorization|cookie|proxy-authorization|x-.*(key|token|secret).*)$/i

const headersOf = (imported: Imported, monitor: KumaMonitor): Json => {
  const text = monitor['headers']
  if (!isSet(text)) return {}
  try {
    const headers = (typeof text === 'string' ? JSON.parse(text) : text) as Record<string, string>
    const list = Object.entries(headers).map(([key, value]) =>
      secretHeader.test(key)
        ? { key, value: imported.secret(`${monitor.name}_${key}`), locked: true }
        : { key, value: String(value) },
    )
    return list.length > 0 ? { headers: list } : {}
  } catch {
    imported.note(monitor.name, 'its headers are no JSON')
    return {}
  }
}

const bodyOf = (monitor: KumaMonitor): Json => {
  if (!isSet(monitor['body'])) return {}
  const kinds: Readonly<Record<string, string>> = { json: 'JSON', form: 'FORM' }
  return {
    body: String(monitor['body']),
    bodyType: kinds[String(monitor['httpBodyEncoding'] ?? 'json')] ?? 'RAW',
  }
}

const basicAuthOf = (imported: Imported, monitor: KumaMonitor): Json => {
  const username = monitor['basic_auth_user']
  if (!isSet(username)) return {}
  return { basicAuth: { username: String(username), password: imported.secret(`${monitor.name}_password`) } }
}
