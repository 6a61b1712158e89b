/** Gatus' configuration: endpoints, external endpoints and the alerts that they name. */
import { isObject, type Json } from '../kinds.ts'
import { type Asked, assertionOf } from './gatus-conditions.ts'
import { httpCheck, type Imported, reference, scheduled } from './imported.ts'

export const importGatus = (imported: Imported, config: Json, location: string): void => {
  const channels = channelsOf(imported, config['alerting'])
  const groups = new Map<string, string>()
  const groupOf = (name: unknown): Json => {
    if (typeof name !== 'string' || name === '') return {}
    const body = { name, locations: [], privateLocations: [location] }
    const key = groups.get(name) ?? imported.add('group', name, body)
    groups.set(name, key)
    return { groupId: reference('group', key) }
  }
  const told = (endpoint: Json): Json => {
    const types = new Set(listOf(endpoint['alerts']).map(({ type }) => String(type)))
    const keys = [...types].flatMap((type) => channels.get(type) ?? [])
    return keys.length === 0
      ? {}
      : { alertChannelSubscriptions: keys.map((key) => ({ alertChannelId: reference('channel', key) })) }
  }
  for (const endpoint of listOf(config['endpoints'])) {
    const body = endpointOf(imported, endpoint)
    if (body !== null)
      imported.add('check', String(endpoint['name']), {
        ...{ ...body, ...groupOf(endpoint['group']), privateLocations: [location], ...told(endpoint) },
      })
  }
  for (const endpoint of listOf(config['external-endpoints'])) {
    const name = String(endpoint['name'])
    const { interval } = (isObject(endpoint['heartbeat']) ? endpoint['heartbeat'] : {}) as {
      interval?: string
    }
    imported.note(name, 'whoever pushes needs the new address of the heartbeat (its page shows it)')
    const heartbeat = {
      period: Math.max(30, seconds(interval, 3600)),
      periodUnit: 'seconds',
      grace: 60,
      graceUnit: 'seconds',
    }
    imported.add('check', name, {
      checkType: 'HEARTBEAT',
      name,
      ...activated(endpoint),
      heartbeat,
      ...told(endpoint),
    })
  }
  for (const section of ['suites', 'maintenance', 'remote', 'announcements', 'ui', 'security', 'storage'])
    if (config[section] !== undefined)
      imported.note(section, whyNot[section] ?? 'is a setting of that program')
}

const whyNot: Readonly<Record<string, string>> = {
  suites: 'become a multi-step check, which is a script',
  maintenance: 'make a maintenance window of it',
  remote: 'locations with agents are for that',
  announcements: 'make incidents of a status page of them',
}

export const listOf = (value: unknown): Json[] =>
  Array.isArray(value) ? value.filter((item): item is Json => isObject(item)) : []

const activated = ({ enabled }: Json): Json => (enabled === false ? { activated: false } : {})

const units: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 }

/** Go's durations: `1h30m`. */
export const seconds = (text: unknown, otherwise: number): number => {
  const parts = [...String(text ?? '').matchAll(/([\d.]+)(ms|s|m|h|d)/g)]
  return parts.length === 0
    ? otherwise
    : parts.reduce((sum, [, number, unit = 's']) => sum + Number(number) * (units[unit] ?? 1), 0)
}

const endpointOf = (imported: Imported, endpoint: Json): Json | null => {
  const name = String(endpoint['name'])
  const url = fromEnvironment(imported, String(endpoint['url'] ?? ''))
  const client = (isObject(endpoint['client']) ? endpoint['client'] : {}) as Json
  const run = {
    name,
    ...activated(endpoint),
    ...scheduled(imported, name, seconds(endpoint['interval'], 60)),
    ...retryOf(endpoint),
  }
  for (const field of ['oauth2', 'identity-aware-proxy', 'proxy-url', 'tunnel', 'tls'])
    if (client[field] !== undefined) imported.note(name, `its client.${field} is not carried over`)
  const conditions = (Array.isArray(endpoint['conditions']) ? endpoint['conditions'] : []).map(String)
  const of = (asked: Asked): Json[] =>
    conditions.map((one) => assertionOf(imported, { name, asked }, one)).filter((one) => one !== null)
  if (isObject(endpoint['dns'])) return dnsOf(endpoint['dns'], { run, url, assertions: of('dns') })
  if (/^https?:/.test(url)) return httpOf(imported, endpoint, { run, url, client, assertions: of('http') })
  const [, scheme = '', rest = ''] = /^([\w+-]+):\/\/(.*)$/.exec(url) ?? []
  const [, hostname = rest, port] = /^\[?(.*?)\]?:(\d+)$/.exec(rest) ?? []
  if (scheme === 'icmp')
    return { checkType: 'ICMP', ...run, request: { hostname: rest, assertions: of('icmp') } }
  if (['tcp', 'tls', 'starttls', 'ssh'].includes(scheme) && port !== undefined) {
    if (scheme !== 'tcp') imported.note(name, `of ${scheme}:// only whether the port takes connections`)
    return { checkType: 'TCP', ...run, request: { hostname, port: Number(port), assertions: of('tcp') } }
  }
  imported.note(name, `there is no check of ${scheme === '' ? url : `${scheme}://`}`)
  return null
}

/** Alerts come after so many failures in a row: retries of one run come sooner. */
const retryOf = (endpoint: Json): Json => {
  const thresholds = listOf(endpoint['alerts']).map((alert) => Number(alert['failure-threshold'] ?? 3))
  if (thresholds.length === 0) return {}
  const failures = Math.min(5, Math.max(1, Math.min(...thresholds)))
  return {
    useGlobalAlertSettings: false,
    alertSettings: { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: failures } },
  }
}

type Dns = { run: Json; url: string; assertions: Json[] }

const dnsOf = (dns: Json, { run, url, assertions }: Dns): Json => {
  const [, nameServer = url, port] = /^\[?(.*?)\]?:(\d+)$/.exec(url) ?? []
  return {
    checkType: 'DNS',
    ...run,
    request: {
      query: String(dns['query-name']).replace(/\.$/, ''),
      recordType: String(dns['query-type'] ?? 'A'),
      nameServer,
      ...(port === undefined || port === '53' ? {} : { port: Number(port) }),
      assertions,
    },
  }
}

type Http = { run: Json; url: string; client: Json; assertions: Json[] }

const httpOf = (imported: Imported, endpoint: Json, { run, url, client, assertions }: Http): Json => {
  const headers = Object.entries((endpoint['headers'] ?? {}) as Json)
  const timeout = Math.min(30_000, seconds(client['timeout'], 10) * 1000)
  return httpCheck(
    { ...run, maxResponseTime: timeout, degradedResponseTime: timeout },
    {
      url,
      method: String(endpoint['method'] ?? 'GET'),
      ...(client['insecure'] === true ? { skipSSL: true } : {}),
      ...(client['ignore-redirect'] === true ? { followRedirects: false } : {}),
      assertions,
      ...(headers.length > 0
        ? { headers: headers.map(([key, value]) => headerOf(imported, key, String(value))) }
        : {}),
      ...(typeof endpoint['body'] === 'string'
        ? {
            body: fromEnvironment(imported, endpoint['body']),
            bodyType: endpoint['graphql'] === true ? 'GRAPHQL' : 'RAW',
          }
        : {}),
    },
  )
}

const headerOf = (imported: Imported, key: string, value: string): Json =>
  /^(authorization|cookie)$/i.test(key) && !value.includes('${')
    ? { key, value: imported.secret(`${key}_header`), locked: true }
    : { key, value: fromEnvironment(imported, value) }

/** `${NAME}` is a variable there, too. */
const fromEnvironment = (imported: Imported, text: string): string =>
  text.replace(/\$\{(\w+)\}/g, (_, name: string) => imported.secret(name))

type Provider = (imported: Imported, settings: Json) => Json | null
const webhook =
  (field: string, webhookType?: string): Provider =>
  (imported, settings) =>
    settings[field] === undefined
      ? null
      : {
          type: 'WEBHOOK',
          config: {
            name: webhookType ?? 'gatus',
            url: imported.secret(`GATUS_${webhookType ?? 'CUSTOM'}_URL`),
            method: String(settings['method'] ?? 'POST'),
            ...(webhookType === undefined ? {} : { webhookType }),
          },
        }

const providers: Readonly<Record<string, Provider>> = {
  slack: (imported) => ({ type: 'SLACK', config: { url: imported.secret('GATUS_SLACK_URL') } }),
  discord: webhook('webhook-url', 'WEBHOOK_DISCORD'),
  teams: webhook('webhook-url', 'WEBHOOK_MSTEAMS'),
  'teams-workflows': webhook('webhook-url', 'WEBHOOK_MSTEAMS'),
  custom: webhook('url'),
  pagerduty: (imported) => ({
    type: 'PAGERDUTY',
    config: { serviceKey: imported.secret('GATUS_PAGERDUTY_KEY') },
  }),
  opsgenie: (imported) => ({
    type: 'OPSGENIE',
    config: { name: 'gatus', apiKey: imported.secret('GATUS_OPSGENIE_KEY'), region: 'US', priority: 'P3' },
  }),
  email: (_, settings) => {
    const [address] = String(settings['to'] ?? '').split(/[,;]\s*/)
    return address === undefined || address === '' ? null : { type: 'EMAIL', config: { address } }
  },
}

const channelsOf = (imported: Imported, alerting: unknown): Map<string, string> => {
  const channels = new Map<string, string>()
  for (const [type, settings] of Object.entries(isObject(alerting) ? alerting : {})) {
    const body = isObject(settings) ? (providers[type]?.(imported, settings) ?? null) : null
    if (body === null)
      imported.note(`alerting.${type}`, 'there is no channel like it: a WEBHOOK with a template may do')
    else channels.set(type, imported.add('channel', type, body))
  }
  return channels
}
