/** Monitors of UptimeRobot, as its API answers (`getMonitors`, saved to a file). */
import { CommandError } from '../io.ts'
import { isObject, type Json } from '../kinds.ts'
import { listOf } from './gatus.ts'
import { assertion, httpCheck, type Imported, scheduled } from './imported.ts'

const methods: Readonly<Record<number, string>> = {
  1: 'HEAD',
  2: 'GET',
  3: 'POST',
  4: 'PUT',
  5: 'PATCH',
  6: 'DELETE',
}
const ports: Readonly<Record<number, number>> = { 1: 80, 2: 443, 3: 21, 4: 25, 5: 110, 6: 143 }

/** @throws CommandError */
export const importUptimeRobot = (imported: Imported, answer: unknown, location: string): void => {
  const monitors = Array.isArray(answer)
    ? listOf(answer)
    : isObject(answer)
      ? listOf(answer['monitors'] ?? answer['data'])
      : []
  if (monitors.length === 0)
    throw new CommandError([
      'it has no "monitors": save the answer of getMonitors (docs/coming-from/uptimerobot.md)',
    ])
  for (const monitor of monitors) {
    const body = checkOf(imported, monitor)
    if (body === null) continue
    const place = body['checkType'] === 'HEARTBEAT' ? {} : { privateLocations: [location] }
    imported.add('check', nameOf(monitor), { ...body, ...place })
  }
}

const nameOf = (monitor: Json): string =>
  String(monitor['friendly_name'] ?? monitor['friendlyName'] ?? monitor['url'])

const checkOf = (imported: Imported, monitor: Json): Json | null => {
  const name = nameOf(monitor)
  const type = Number(monitor['type'])
  const interval = Number(monitor['interval'] ?? 300)
  const common = { name, ...(Number(monitor['status']) === 0 ? { activated: false } : {}) }
  if (type === 5) {
    imported.note(name, 'whoever pings needs the new address of the heartbeat (its page shows it)')
    const heartbeat = {
      period: Math.max(30, interval),
      periodUnit: 'seconds',
      grace: 60,
      graceUnit: 'seconds',
    }
    return { checkType: 'HEARTBEAT', ...common, heartbeat }
  }
  const run = { ...common, ...scheduled(imported, name, interval) }
  const hostname = String(monitor['url'] ?? '')
    .replace(/^\w+:\/\//, '')
    .replace(/[/:].*$/, '')
  if (type === 1 || type === 2) return httpOf(imported, monitor, run)
  if (type === 3) return { checkType: 'ICMP', ...run, request: { hostname } }
  const port = Number(monitor['port'] || ports[Number(monitor['sub_type'])])
  if (type === 4 && port > 0) return { checkType: 'TCP', ...run, request: { hostname, port } }
  imported.note(name, `there is no check of its type (${monitor['type']})`)
  return null
}

const httpOf = (imported: Imported, monitor: Json, run: Json): Json => {
  const name = nameOf(monitor)
  const keyword = String(monitor['keyword_value'] ?? '')
  const isKeyword = Number(monitor['type']) === 2
  // 1: down where it is there; 2: down where it is not.
  const comparison = Number(monitor['keyword_type']) === 1 ? 'NOT_CONTAINS' : 'CONTAINS'
  const username = String(monitor['http_username'] ?? '')
  const method = isKeyword ? 'GET' : (methods[Number(monitor['http_method'])] ?? 'HEAD')
  for (const field of ['custom_http_headers', 'custom_http_statuses'])
    if (monitor[field] !== undefined && JSON.stringify(monitor[field]).length > 4)
      imported.note(name, `its ${field} is not carried over`)
  if (listOf(monitor['alert_contacts']).length > 0)
    imported.note(name, 'its alert contacts are told of without what they are: subscribe channels')
  return httpCheck(run, {
    url: String(monitor['url']),
    method,
    assertions: isKeyword ? [assertion('TEXT_BODY', comparison, keyword)] : [],
    ...(username === '' ? {} : { basicAuth: { username, password: imported.secret(`${name}_password`) } }),
  })
}
