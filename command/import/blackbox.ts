/** Modules of Prometheus' blackbox exporter, and what Prometheus has it probe. */
import { isObject, type Json } from '../kinds.ts'
import { listOf, seconds } from './gatus.ts'
import { assertion, httpCheck, type Imported, scheduled, statusAssertions } from './imported.ts'

type Probe = { target: string; module: string; interval: unknown; job: string; labels: Json }

export const importBlackbox = (
  imported: Imported,
  { modules, prometheus }: { modules: Json; prometheus: Json | null },
  location: string,
): void => {
  const known = (modules['modules'] ?? {}) as Record<string, Json>
  const probes = prometheus === null ? [] : probesOf(imported, prometheus)
  if (prometheus === null)
    imported.note('targets', 'stand in Prometheus’ configuration: name it with --prometheus')
  const used = new Set(probes.map(({ module }) => module))
  for (const name of Object.keys(known))
    if (!used.has(name)) imported.note(`module ${name}`, 'nothing is probed with it')
  for (const probe of probes) {
    const module = known[probe.module]
    if (module === undefined) imported.note(probe.target, `there is no module ${probe.module}`)
    const body = module === undefined ? null : checkOf(imported, { probe, module })
    const tags = [probe.job, ...Object.entries(probe.labels).map(([label, value]) => `${label}:${value}`)]
    if (body !== null) imported.add('check', probe.target, { ...body, tags, privateLocations: [location] })
  }
}

/** Jobs whose path is that of the exporter's probe. */
const probesOf = (imported: Imported, prometheus: Json): Probe[] => {
  const global = (isObject(prometheus['global']) ? prometheus['global'] : {}) as Json
  return listOf(prometheus['scrape_configs']).flatMap((job) => {
    const name = String(job['job_name'])
    if (!String(job['metrics_path'] ?? '').endsWith('/probe')) return []
    const [module = 'http_2xx'] = ((job['params'] as { module?: string[] } | undefined)?.module ??
      []) as string[]
    for (const field of Object.keys(job))
      if (field.endsWith('_sd_configs'))
        imported.note(`job ${name}`, `targets of ${field} are found while Prometheus runs`)
    const interval = job['scrape_interval'] ?? global['scrape_interval']
    return listOf(job['static_configs']).flatMap(({ targets, labels }) =>
      (Array.isArray(targets) ? targets : []).map((target) => ({
        ...{ target: String(target), module, interval, job: name },
        labels: isObject(labels) ? labels : {},
      })),
    )
  })
}

const checkOf = (imported: Imported, { probe, module }: { probe: Probe; module: Json }): Json | null => {
  const { target } = probe
  const run = { name: target, ...scheduled(imported, target, seconds(probe.interval, 60)) }
  const prober = String(module['prober'])
  const settings = (isObject(module[prober]) ? module[prober] : {}) as Json
  const [, hostname = target, port] = /^\[?(.*?)\]?:(\d+)$/.exec(target) ?? []
  if (prober === 'http')
    return httpOf(imported, { target, run, settings, timeout: seconds(module['timeout'], 10) })
  if (prober === 'icmp') return { checkType: 'ICMP', ...run, request: { hostname: target } }
  if (prober === 'tcp' && port !== undefined) {
    for (const field of ['query_response', 'tls', 'tls_config'])
      if (settings[field] !== undefined)
        imported.note(target, `its module’s tcp.${field} is not carried over`)
    return { checkType: 'TCP', ...run, request: { hostname, port: Number(port) } }
  }
  if (prober === 'dns') return dnsOf(imported, { target, run, settings })
  imported.note(target, prober === 'tcp' ? 'has no port' : `there is no check for the prober ${prober}`)
  return null
}

type Of = { target: string; run: Json; settings: Json }

const dnsOf = (imported: Imported, { target, run, settings }: Of): Json => {
  const [, nameServer = target, port] = /^\[?(.*?)\]?:(\d+)$/.exec(target) ?? []
  for (const field of Object.keys(settings))
    if (field.startsWith('validate_')) imported.note(target, `its module’s dns.${field} is not carried over`)
  const codes = (settings['valid_rcodes'] ?? ['NOERROR']) as string[]
  return {
    checkType: 'DNS',
    ...run,
    request: {
      query: String(settings['query_name']).replace(/\.$/, ''),
      recordType: String(settings['query_type'] ?? 'A').replace('ANY', 'A'),
      nameServer,
      ...(port === undefined || port === '53' ? {} : { port: Number(port) }),
      ...(settings['transport_protocol'] === 'tcp' ? { protocol: 'TCP' } : {}),
      assertions: codes.length === 1 ? [assertion('RESPONSE_CODE', 'EQUALS', codes[0] ?? 'NOERROR')] : [],
    },
  }
}

const unknownHttp =
  /^(fail_if_|oauth2|proxy_url|compression|body_file|valid_http_versions|authorization|bearer_token)/

const httpOf = (imported: Imported, { target, run, settings, timeout }: Of & { timeout: number }): Json => {
  const url = /^https?:\/\//.test(target) ? target : `http://${target}`
  const codes = ((settings['valid_status_codes'] ?? []) as unknown[]).map(String)
  const statuses = statusAssertions(codes.length === 0 ? ['200-299'] : codes)
  if (statuses === null)
    imported.note(target, `accepts the statuses ${codes.join(', ')}: here those below 400`)
  const contents = bodyAssertions(imported, target, settings)
  for (const field of Object.keys(settings))
    if (
      unknownHttp.test(field) &&
      !field.startsWith('fail_if_body_') &&
      !(field === 'fail_if_not_ssl' && url.startsWith('https'))
    )
      imported.note(target, `its module’s http.${field} is not carried over`)
  const headers = Object.entries((settings['headers'] ?? {}) as Json)
  const basic = settings['basic_auth'] as { username?: string } | undefined
  const limit = Math.min(30_000, timeout * 1000)
  return httpCheck(
    { ...run, maxResponseTime: limit, degradedResponseTime: limit },
    {
      url,
      method: String(settings['method'] ?? 'GET'),
      ...((settings['tls_config'] as Json | undefined)?.['insecure_skip_verify'] === true
        ? { skipSSL: true }
        : {}),
      ...(settings['follow_redirects'] === false || settings['no_follow_redirects'] === true
        ? { followRedirects: false }
        : {}),
      assertions: [...(statuses ?? []), ...contents],
      ...(headers.length > 0
        ? { headers: headers.map(([key, value]) => ({ key, value: String(value) })) }
        : {}),
      ...(typeof settings['body'] === 'string' ? { body: settings['body'], bodyType: 'RAW' } : {}),
      ...(basic === undefined
        ? {}
        : {
            basicAuth: { username: String(basic.username), password: imported.secret('BLACKBOX_PASSWORD') },
          }),
    },
  )
}

/** Both are matched against the whole text; the words of most are words. */
const bodyAssertions = (imported: Imported, target: string, settings: Json): Json[] => {
  const kinds = [
    ['fail_if_body_matches_regexp', 'IS_EMPTY'],
    ['fail_if_body_not_matches_regexp', 'NOT_EMPTY'],
  ] as const
  const list = kinds.flatMap(([field, comparison]) =>
    ((settings[field] ?? []) as string[]).map((pattern) => ({
      ...{ source: 'TEXT_BODY', property: pattern, comparison, target: '' },
    })),
  )
  if (list.length > 0) imported.note(target, 'look at its patterns: they are matched as RE2 by both')
  return list
}
