/** From the query of `/probe` to what is to be run, in the words of blackbox_exporter. Pure. */
import type { CheckType } from '../../protocol/check-type.ts'
import { dnsRecordTypes } from '../../protocol/checks/dns-record-types.ts'

/** `host`: whom the target names, as the allow-list judges it. */
export type Probe = { checkType: CheckType; host: string; spec: object }

type ProbeProblem = { problem: string }

type Module = (target: string, query: URLSearchParams) => Probe | ProbeProblem

const success = [
  { source: 'STATUS_CODE', property: '', comparison: 'GREATER_THAN', target: '199' },
  { source: 'STATUS_CODE', property: '', comparison: 'LESS_THAN', target: '300' },
]

const request = { followRedirects: true, skipSSL: false, ipFamily: 'IPv4', assertions: success }

/** As blackbox_exporter does it: an address without a scheme is one of HTTP. */
const httpUrl = (target: string): URL | null => {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(target) ? target : `http://${target}`)
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url : null
}

const notHttp: ProbeProblem = { problem: 'target must be an http or https address' }

const http =
  (checkType: CheckType, more: object): Module =>
  (target) => {
    const url = httpUrl(target)
    if (url === null) return notHttp
    const spec = { request: { ...request, url: url.href, ...more }, shouldFail: false }
    return { checkType, host: bare(url.hostname), spec }
  }

const post = {
  method: 'POST',
  body: '',
  bodyType: 'NONE',
  headers: [],
  queryParameters: [],
  basicAuth: null,
}

const httpPost: Module = (target, query) => {
  const probe = http('API', post)(target, query)
  return 'problem' in probe
    ? probe
    : { ...probe, spec: { ...probe.spec, setupScripts: [], tearDownScripts: [] } }
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, '')

/** `host:port` or `[address]:port`. */
const splitPort = (target: string): { host: string; port: number } | null => {
  const [, host = '', digits = ''] = /^(\[[^\]]+\]|[^\s/?#@:]+):(\d{1,5})$/.exec(target) ?? []
  const port = Number(digits)
  return host !== '' && port >= 1 && port <= 65_535 ? { host: bare(host), port } : null
}

const isHost = (target: string): boolean => /^[^\s/?#@[\]]{1,253}$/.test(target)

const tcp: Module = (target) => {
  const parts = splitPort(target)
  if (parts === null) return { problem: 'target must be a host and a port, such as db.example.com:5432' }
  const { host, port } = parts
  const spec = { request: { hostname: host, port, data: null, ipFamily: family(host), assertions: [] } }
  return { checkType: 'TCP', host, spec: { ...spec, shouldFail: false } }
}

const family = (host: string): 'IPv4' | 'IPv6' => (host.includes(':') ? 'IPv6' : 'IPv4')

const icmp: Module = (target) => {
  const host = bare(target)
  if (!isHost(host)) return { problem: 'target must be a host' }
  const pings = { hostname: host, ipFamily: family(host), pingCount: 1, assertions: [] }
  const spec = {
    request: pings,
    degradedPacketLossThreshold: null,
    maxPacketLossThreshold: 50,
    shouldFail: false,
  }
  return { checkType: 'ICMP', host, spec }
}

const isRecordType = (text: string): boolean => (dnsRecordTypes as readonly string[]).includes(text)

const dns =
  (protocol: 'UDP' | 'TCP'): Module =>
  (target, query) => {
    const parts = splitPort(target) ?? { host: bare(target), port: 53 }
    const name = query.get('query_name') ?? ''
    const recordType = (query.get('query_type') ?? 'A').toUpperCase()
    if (!isHost(parts.host)) return { problem: 'target must be a name server, with or without a port' }
    if (!/^\S{1,100}$/.test(name)) return { problem: 'query_name must be the name to ask for' }
    if (!isRecordType(recordType))
      return { problem: `query_type must be one of ${dnsRecordTypes.join(', ')}` }
    const asked = {
      query: name,
      recordType,
      nameServer: parts.host,
      port: parts.port,
      protocol,
      assertions: [],
    }
    return { checkType: 'DNS', host: parts.host, spec: { request: asked, shouldFail: false } }
  }

export const probeModules: Readonly<Record<string, Module>> = {
  http_2xx: http('URL', { method: 'GET' }),
  http_post_2xx: httpPost,
  tcp_connect: tcp,
  icmp,
  dns_udp: dns('UDP'),
  dns_tcp: dns('TCP'),
}

const maxTargetLength = 2000

export const readProbe = (query: URLSearchParams): Probe | ProbeProblem => {
  const target = query.get('target') ?? ''
  if (target === '' || target.length > maxTargetLength) return { problem: 'target must name what to probe' }
  const name = query.get('module') ?? 'http_2xx'
  const module = Object.hasOwn(probeModules, name) ? probeModules[name] : undefined
  return module === undefined
    ? { problem: `module must be one of ${Object.keys(probeModules).join(', ')}` }
    : module(target, query)
}
