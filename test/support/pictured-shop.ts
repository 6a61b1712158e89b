/** The shop of the pictures (test/take-pictures.ts): its sites, what troubled them, and what an agent would say of a run. */
import type { CheckType } from '../../protocol/check-type.ts'
import type { TcpCheckResult } from '../../protocol/checks/tcp-result.ts'
import type { Outcome } from '../../protocol/result.ts'
import { emptyHttpDetail } from './engine-room.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** A span that begins so long before the end, in hours. */
type Trouble = { hoursBefore: number; minutes: number; degraded?: true }
export type Site = {
  name: string
  type: Extract<CheckType, 'API' | 'URL' | 'TCP'>
  /** Of a port `tcp://host:port`. */
  url: string
  group?: string
  tags: string[]
  usualMs: number
  troubles: Trouble[]
}

export const sites: readonly Site[] = [
  {
    name: 'Storefront',
    type: 'URL',
    url: 'https://shop.example/',
    group: 'Shop',
    tags: ['eu', 'us'],
    usualMs: 140,
    troubles: [{ hoursBefore: 410, minutes: 50 }],
  },
  {
    name: 'Product search',
    type: 'API',
    url: 'https://shop.example/api/search?q=lamp',
    group: 'Shop',
    tags: ['eu'],
    usualMs: 230,
    troubles: [
      { hoursBefore: 96, minutes: 240, degraded: true },
      { hoursBefore: 0.2, minutes: 12, degraded: true },
    ],
  },
  {
    name: 'Cart',
    type: 'API',
    url: 'https://shop.example/api/cart',
    group: 'Shop',
    tags: [],
    usualMs: 90,
    troubles: [],
  },
  {
    name: 'Checkout',
    type: 'API',
    url: 'https://shop.example/api/checkout',
    group: 'Shop',
    tags: ['revenue'],
    usualMs: 310,
    troubles: [
      { hoursBefore: 220, minutes: 90 },
      { hoursBefore: 0.3, minutes: 18 },
    ],
  },
  {
    name: 'Card payments',
    type: 'API',
    url: 'https://pay.example/v2/health',
    group: 'Payments',
    tags: ['revenue'],
    usualMs: 180,
    troubles: [{ hoursBefore: 219.5, minutes: 60 }],
  },
  {
    name: 'Invoices',
    type: 'API',
    url: 'https://pay.example/v2/invoices',
    group: 'Payments',
    tags: ['monthly'],
    usualMs: 260,
    troubles: [],
  },
  {
    name: 'Public API',
    type: 'API',
    url: 'https://api.example/v1/status',
    group: 'Platform',
    tags: ['partners'],
    usualMs: 75,
    troubles: [{ hoursBefore: 530, minutes: 30 }],
  },
  {
    name: 'Sign-in',
    type: 'API',
    url: 'https://id.example/.well-known/openid-configuration',
    group: 'Platform',
    tags: [],
    usualMs: 110,
    troubles: [],
  },
  {
    name: 'Webhooks',
    type: 'API',
    url: 'https://hooks.example/health',
    group: 'Platform',
    tags: [],
    usualMs: 60,
    troubles: [{ hoursBefore: 300, minutes: 120, degraded: true }],
  },
  {
    name: 'Orders database',
    type: 'TCP',
    url: 'tcp://db.example:5432',
    group: 'Platform',
    tags: [],
    usualMs: 12,
    troubles: [],
  },
  {
    name: 'Mail relay',
    type: 'TCP',
    url: 'tcp://mail.example:587',
    tags: ['eu'],
    usualMs: 34,
    troubles: [{ hoursBefore: 130, minutes: 25 }],
  },
  {
    name: 'Help centre',
    type: 'URL',
    url: 'https://help.example/',
    tags: ['eu'],
    usualMs: 190,
    troubles: [],
  },
  { name: 'Careers', type: 'URL', url: 'https://jobs.example/', tags: [], usualMs: 420, troubles: [] },
]

export const stateAt = (site: Site, at: number, end: number): 'passing' | 'failing' | 'degraded' => {
  const hit = site.troubles.find(({ hoursBefore, minutes }) => {
    const from = end - hoursBefore * hourMs
    return at >= from && at < from + minutes * minuteMs
  })
  return hit === undefined ? 'passing' : hit.degraded === true ? 'degraded' : 'failing'
}

/** Log-normal around what is usual, higher at midday, and much higher in trouble. */
export const tookOf = (
  site: Site,
  at: number,
  { state, random }: { state: string; random: () => number },
): number => {
  const spread = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const ofDay = 1 + 0.25 * Math.sin(((at % dayMs) / dayMs) * 2 * Math.PI - Math.PI / 2)
  return Math.round(site.usualMs * ofDay * Math.exp(0.22 * spread) * (state === 'degraded' ? 9 : 1) * 10) / 10
}

const unavailable = (url: string, took: number) => ({
  href: url,
  status: 503,
  statusText: 'Service Unavailable',
  httpVersion: '2',
  body: 'upstream connect error or disconnect/reset before headers',
  bodyBytes: 57,
  truncated: false,
  headers: { 'content-type': 'text/plain', server: 'envoy', 'retry-after': '30' },
  timings: { socket: 1, lookup: 9, connect: 21, secureConnect: 38, response: took - 2, end: took },
  timingPhases: { wait: 1, dns: 8, tcp: 12, tls: 17, firstByte: took - 40, download: 2, total: took },
  remoteAddress: '192.0.2.18',
  redirects: [],
  certificate: null,
})

const answerOf = ({ url }: Site, { took, state }: { took: number; state: string }): Outcome => {
  const isFailing = state === 'failing'
  const assertion = {
    ...{
      source: 'STATUS_CODE',
      property: '',
      comparison: 'EQUALS' as const,
      target: 200,
      regex: null,
      order: 0,
    },
    ...{ passed: !isFailing, actual: isFailing ? 503 : 200, error: null },
  }
  const ok = { ...unavailable(url, took), status: 200, statusText: 'OK', body: '{"ok":true}', bodyBytes: 11 }
  return {
    kind: 'observed',
    observation: {
      responseTime: took,
      failure: isFailing
        ? {
            code: 'ASSERTION_FAILED',
            message: 'Expected the status to equal 200, but it was 503',
            network: false,
          }
        : null,
      assertions: [assertion],
      degraded: state === 'degraded',
      metrics: { dns: 8, tcp: 12, tls: 17, firstByte: Math.max(1, took - 40), download: 2, total: took },
      detail: {
        ...emptyHttpDetail,
        assertions: [assertion],
        request: { ...emptyHttpDetail.request, url },
        response: isFailing ? unavailable(url, took) : ok,
      },
    },
  }
}

const refused = { code: 'ECONNREFUSED', message: 'The connection was refused', network: true }

const connectionOf = ({ url }: Site, { took, state }: { took: number; state: string }): Outcome => {
  const { hostname, port } = new URL(url)
  const isFailing = state === 'failing'
  const phases = { dns: 2, connection: Math.max(1, took - 2), data: null, total: took }
  const error = { code: refused.code, syscall: 'connect', address: '192.0.2.25', hostname } as const
  const detail: TcpCheckResult = {
    assertions: [],
    request: { hostname, port: Number(port), data: null, ipFamily: 'IPv4' },
    response: {
      ...{ resolvedIp: '192.0.2.25', data: '', dataEncoding: 'utf8', dataBytes: 0, truncated: false },
      ...{ endedBy: null, error: isFailing ? { ...error, port: Number(port) } : null },
    },
    timingPhases: isFailing ? { ...phases, connection: null } : phases,
    requestError: null,
  }
  return {
    kind: 'observed',
    observation: {
      ...{ responseTime: took, failure: isFailing ? refused : null, assertions: [], detail },
      ...{ degraded: state === 'degraded', metrics: { dns: 2, connection: phases.connection, total: took } },
    },
  }
}

export const outcomeOf = (site: Site, ran: { took: number; state: string }): Outcome =>
  site.type === 'TCP' ? connectionOf(site, ran) : answerOf(site, ran)

/** What a check of it is told to look at. */
export const requestOf = ({ type, url }: Site): object => {
  const { hostname, port } = new URL(url)
  if (type === 'TCP') return { hostname, port: Number(port) }
  const isOk = [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }]
  return { url, ...(type === 'API' ? { method: 'GET' } : {}), assertions: isOk }
}
