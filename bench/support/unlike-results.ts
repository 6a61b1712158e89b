/** Passing results of many unlike sites: other headers, bodies, certificates, answers and assertions for each. From a seed. */
import type { ResultWithDoc } from '../../control-plane/monitoring/results/stored/result.ts'
import { uuidV7 } from '../../control-plane/platform/words/uuid.ts'
import { type Random, randomOf } from './seeded-random.ts'

export type Site = { checkId: string; type: string; name: string; doc(run: number): object }

const uuidOf = ({ hex }: Random): string => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`

/** In turn URL, API, TCP and DNS. */
export const unlikeSites = (count: number): Site[] =>
  Array.from({ length: count }, (_, n) => {
    const random = randomOf(`site ${n}`)
    const make = [urlSite, apiSite, tcpSite, dnsSite][n % 4] ?? urlSite
    return { checkId: uuidOf(random), name: random.words(3), ...make(random, n) }
  })

const ms = (random: Random, most: number): number => random.below(most * 1000) / 1000

const timings = (random: Random) => ({
  timings: {
    socket: ms(random, 2),
    lookup: ms(random, 30),
    connect: ms(random, 60),
    response: ms(random, 300),
    end: ms(random, 400),
  },
  timingPhases: {
    wait: ms(random, 2),
    dns: ms(random, 30),
    tcp: ms(random, 40),
    firstByte: ms(random, 250),
    download: ms(random, 60),
    total: ms(random, 400),
  },
})

const headersOf = (site: Random) => {
  const fixed = Object.fromEntries(
    Array.from({ length: 6 + site.below(12) }, () => [
      `x-${site.words(1)}`,
      site.pick([site.hex(12), site.words(4), String(site.below(100_000))]),
    ]),
  )
  const server = site.pick(['nginx/1.25.3', 'cloudflare', 'Apache/2.4.58 (Debian)', 'Caddy', 'envoy'])
  return (run: Random) => ({
    ...fixed,
    server,
    date: new Date(1_767_225_600_000 + run.below(86_400) * 1000).toUTCString(),
    'x-request-id': run.hex(32),
    etag: `W/"${run.hex(10)}"`,
  })
}

const certificateOf = (site: Random) => ({
  subject: `CN=${site.words(1)}.example`,
  issuer: site.pick([
    "C=US, O=Let's Encrypt, CN=E5",
    'C=US, O=DigiCert Inc, CN=GeoTrust G1',
    `CN=${site.words(2)}`,
  ]),
  validFrom: '2025-11-20T00:00:00.000Z',
  validTo: '2026-02-18T00:00:00.000Z',
  daysRemaining: 49,
  fingerprint256: site
    .hex(64)
    .replace(/(..)(?=.)/g, '$1:')
    .toUpperCase(),
  altNames: Array.from({ length: 1 + site.below(8) }, () => `${site.words(1)}.example`),
  authorized: true,
  protocol: 'TLSv1.3',
  cipher: site.pick(['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256']),
})

const assertionsOf = (site: Random) =>
  Array.from({ length: 1 + site.below(6) }, (_, order) => ({
    source: site.pick(['STATUS_CODE', 'HEADERS', 'JSON_BODY', 'RESPONSE_TIME', 'TEXT_BODY']),
    property: site.words(2),
    comparison: site.pick(['EQUALS', 'CONTAINS', 'LESS_THAN']),
    target: site.words(1 + site.below(4)),
    regex: '',
    order,
    passed: true,
    actual: site.words(1 + site.below(4)),
    error: null,
  }))

const metricsOf = (run: Random) => ({
  wait: ms(run, 2),
  dns: ms(run, 30),
  tcp: ms(run, 40),
  tls: ms(run, 60),
  firstByte: ms(run, 250),
  download: ms(run, 60),
})

type Made = Pick<Site, 'type' | 'doc'>

const httpSite =
  (type: string, body: (site: Random) => string) =>
  (site: Random, n: number): Made => {
    const [headers, certificate, assertions, text] = [
      headersOf(site),
      certificateOf(site),
      assertionsOf(site),
      body(site),
    ]
    const name = site.words(3)
    const url = `https://${site.words(1)}.example/${site.words(3).replaceAll(' ', '/')}`
    return {
      type,
      doc: (at) => {
        const run = randomOf(`run ${n} ${at}`)
        return {
          name,
          error: null,
          errorGroupIds: [],
          log: [],
          failure: null,
          metrics: metricsOf(run),
          apiCheckResult: {
            assertions,
            request: { method: 'GET', url, data: '', headers: {}, params: {} },
            response: {
              href: url,
              status: 200,
              statusText: 'OK',
              httpVersion: '1.1',
              body: text.replace('{run}', run.hex(16)),
              bodyEncoding: 'utf8',
              bodyBytes: text.length,
              truncated: false,
              headers: headers(run),
              ...timings(run),
              remoteAddress: `192.0.2.${site.below(250)}`,
              redirects: [],
              certificate,
            },
            requestError: null,
            jobLog: null,
            jobAssets: null,
            pcapDataUrl: null,
          },
        }
      },
    }
  }

const urlSite = httpSite(
  'URL',
  (site) => `<!doctype html><title>${site.words(5)}</title><p id="{run}">${site.words(120)}`,
)
const apiSite = httpSite('API', (site) =>
  JSON.stringify({
    id: '{run}',
    items: Array.from({ length: 12 }, () => ({ [site.words(1)]: site.words(6), n: site.below(10_000) })),
  }),
)

const tcpSite = (site: Random, n: number): Made => {
  const assertions = assertionsOf(site)
  const request = {
    hostname: `${site.words(1)}.example`,
    port: site.below(65_000),
    data: site.words(3),
    ipFamily: 'IPv4',
  }
  const data = site.words(20)
  return {
    type: 'TCP',
    doc: (at) => {
      const run = randomOf(`run ${n} ${at}`)
      const timingPhases = {
        dns: ms(run, 30),
        connection: ms(run, 40),
        data: ms(run, 60),
        total: ms(run, 130),
      }
      const response = {
        resolvedIp: '192.0.2.7',
        data: `${data} ${run.hex(8)}`,
        dataEncoding: 'utf8',
        dataBytes: 99,
        truncated: false,
        endedBy: 'close',
        error: null,
      }
      return {
        name: request.hostname,
        error: null,
        failure: null,
        metrics: timingPhases,
        tcpCheckResult: { assertions, request, response, timingPhases, requestError: null },
      }
    },
  }
}

const dnsSite = (site: Random, n: number): Made => {
  const assertions = assertionsOf(site)
  const query = `${site.words(1)}.example`
  const answers = Array.from({ length: 1 + site.below(8) }, () => `192.0.2.${site.below(250)}`)
  return {
    type: 'DNS',
    doc: (at) => {
      const run = randomOf(`run ${n} ${at}`)
      const responseTime = ms(run, 90)
      const Answer = answers.map((data) => ({ name: query, type: 'A', TTL: run.below(3600), data }))
      const response = {
        returnCode: 'NOERROR',
        responseTime,
        protocol: 'UDP',
        answer: {
          Status: 'NOERROR',
          TC: false,
          RD: true,
          RA: true,
          AD: false,
          CD: false,
          Question: [{ name: query, type: 'A' }],
          Answer,
        },
        text: answers.join('\n'),
        truncated: false,
      }
      const request = { query, recordType: 'A', protocol: 'UDP', nameServer: '192.0.2.53', port: 53 }
      return {
        name: query,
        error: null,
        failure: null,
        metrics: { total: responseTime },
        dnsCheckResult: {
          assertions,
          request,
          nameServerInfo: { name: 'ns', host: '192.0.2.53', port: 53 },
          response,
          requestError: null,
        },
      }
    },
  }
}

/** The `run`th result of a site, which runs each minute. */
export const resultOfSite = ({ checkId, type, doc }: Site, at: number, run: number): ResultWithDoc => {
  const random = randomOf(`result ${checkId} ${run}`)
  const id = uuidV7(at, uuidOf(random))
  const started = at + random.below(300)
  const took = 20 + random.below(400)
  return {
    id,
    account_id: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10',
    check_id: checkId,
    check_type: type,
    result_type: 'FINAL',
    location: 'local',
    due_at: at,
    started_at: started,
    stopped_at: started + took,
    created_at: started + took + 15 + random.below(200),
    response_time: took + random.below(1000) / 1000,
    has_failures: false,
    has_errors: false,
    is_degraded: false,
    is_cancelled: false,
    over_max: false,
    attempts: 0,
    sequence_id: id,
    check_run_id: at,
    doc: JSON.stringify(doc(run)),
  }
}
