// Runs on both engines in test:all: rows that are there already are changed instead.
import t from 'tap'
import { alertExpiry } from '../../../../../control-plane/monitoring/watches/certificate-expiry/alert-expiry.ts'
import { alertOnRunCertificates } from '../../../../../control-plane/monitoring/watches/certificate-expiry/alert-on-run-certificates.ts'
import { certificateWatchTick } from '../../../../../control-plane/monitoring/watches/certificate-expiry/certificate-watch-tick.ts'
import { heartbeatTick } from '../../../../../control-plane/monitoring/watches/heartbeats/heartbeat-tick.ts'
import { createCertificateReader } from '../../../../../control-plane/platform/services/outgoing/certificate-reader.ts'
import { createOutgoingNetworks } from '../../../../../control-plane/platform/services/outgoing/outgoing-networks.ts'
import type { Db } from '../../../../../control-plane/platform/store/database/db.ts'
import { eachEngine, type TestApp, testApp } from '../../../../support/app.ts'
import { createAuthority } from '../../../../support/certificates.ts'
import { sslDetail } from '../../../../support/new-type-details.ts'
import { closedPort, httpsServer, tcpServer } from '../../../../support/servers.ts'

const dayMs = 86_400_000
const authority = createAuthority()
const loopback = createOutgoingNetworks(['127.0.0.0/8'])
const lookup = async () => [{ address: '127.0.0.1', family: 4 }]

const addChannel = async (plane: TestApp, sslExpiryThreshold: number | null): Promise<number> => {
  const { status, text, body } = await plane.call('POST', '/v1/alert-channels', {
    body: {
      type: 'EMAIL',
      config: { address: 'ops@example.com' },
      ...(sslExpiryThreshold === null ? {} : { sslExpiry: true, sslExpiryThreshold }),
    },
  })
  if (status !== 201) throw new Error(text)
  return body.id
}

/** Subscribed to all channels there are. */
const addCheck = async (plane: TestApp, more: object = {}): Promise<string> => {
  const { status, text, body } = await plane.call('POST', '/v1/checks/heartbeat', {
    body: {
      name: 'Backup',
      script: '',
      heartbeat: { period: 1, periodUnit: 'days', grace: 0, graceUnit: 'seconds' },
      sslCheckDomain: 'Shop.Example.com',
      ...more,
    },
  })
  if (status !== 201) throw new Error(text)
  return body.id
}

/** The certificate of every domain ends then. */
const certificateEnds = (plane: TestApp, expiresAt: number): { looks: string[] } => {
  const looks: string[] = []
  plane.app.certificates = {
    expiresAt: async (domain) => {
      looks.push(domain)
      return expiresAt
    },
  }
  return { looks }
}

const notified = async (plane: TestApp): Promise<number[]> =>
  (
    await plane.app.db.select((k) =>
      k.selectFrom('alert_notifications').select('channel_id').orderBy('created_at').orderBy('channel_id'),
    )
  ).map(({ channel_id }) => channel_id)

eachEngine(
  'a domain is looked at hourly and alerted about daily, each channel from its threshold on',
  async (t, plane) => {
    const soon = await addChannel(plane, 3)
    const early = await addChannel(plane, 20)
    await addChannel(plane, null)
    const { looks } = certificateEnds(plane, plane.app.clock.now() + 20.5 * dayMs)
    const checkId = await addCheck(plane)
    await Promise.all([certificateWatchTick(plane.app), certificateWatchTick(plane.app)])
    t.strictSame(looks, ['shop.example.com'], 'two control planes look once')
    t.strictSame(await notified(plane), [early])
    const { body } = await plane.call('GET', '/v1/check-alerts')
    t.match(body, [{ checkId, alertType: 'ALERT_SSL', error: /shop\.example\.com expires in 20 days/ }])
    await certificateWatchTick(plane.app)
    t.equal(looks.length, 1, 'not before an hour is over')
    for (let hour = 0; hour < 24; hour++) {
      plane.advance(3_600_000)
      await certificateWatchTick(plane.app)
    }
    t.equal(looks.length, 25)
    t.strictSame(await notified(plane), [early, early], 'once more after a day')
    plane.advance(17 * dayMs)
    await certificateWatchTick(plane.app)
    t.strictSame(await notified(plane), [early, early, soon, early])
  },
)

eachEngine(
  'the status of a check shows the days that are left, also after its next result',
  async (t, plane) => {
    certificateEnds(plane, plane.app.clock.now() + 40.5 * dayMs)
    const pingToken = '0b0a1c52-6d65-4a5c-8f0c-1d2e3f405162'
    const checkId = await addCheck(plane, {
      heartbeat: { period: 60, periodUnit: 'seconds', grace: 0, graceUnit: 'seconds', pingToken },
    })
    await certificateWatchTick(plane.app)
    const days = async () => (await plane.call('GET', `/v1/check-statuses/${checkId}`)).body.sslDaysRemaining
    await plane.call('GET', `/ping/${pingToken}`, { key: null })
    t.equal(await days(), 40)
    plane.advance(dayMs)
    await heartbeatTick(plane.app)
    t.equal(await days(), 39)
  },
)

eachEngine('a muted check keeps quiet until it is unmuted', async (t, plane) => {
  const channel = await addChannel(plane, 30)
  certificateEnds(plane, plane.app.clock.now() + 5 * dayMs)
  const id = await addCheck(plane, { muted: true })
  await certificateWatchTick(plane.app)
  t.strictSame(await notified(plane), [])
  await plane.call('PUT', `/v1/checks/heartbeat/${id}`, { body: { muted: false } })
  plane.advance(3_600_000)
  await certificateWatchTick(plane.app)
  t.strictSame(await notified(plane), [channel])
})

eachEngine('a check without the domain, deactivated or deleted is no longer looked at', async (t, plane) => {
  const { looks } = certificateEnds(plane, 0)
  const first = await addCheck(plane)
  const second = await addCheck(plane)
  const third = await addCheck(plane)
  await plane.call('PUT', `/v1/checks/heartbeat/${first}`, { body: { sslCheckDomain: null } })
  await plane.call('PUT', `/v1/checks/heartbeat/${second}`, { body: { activated: false } })
  await plane.call('DELETE', `/v1/checks/${third}`)
  await certificateWatchTick(plane.app)
  t.strictSame(looks, [])
  await plane.call('PUT', `/v1/checks/heartbeat/${first}`, { body: { sslCheckDomain: 'other.example.com' } })
  await certificateWatchTick(plane.app)
  t.strictSame(looks, ['other.example.com'])
})

eachEngine('of many sights at once one alerts', async (t, plane) => {
  const channel = await addChannel(plane, 30)
  const checkId = await addCheck(plane, { sslCheckDomain: null })
  const stamp = { now: plane.app.clock.now(), newId: plane.app.newId }
  const sight = {
    accountId: plane.accountId,
    checkId,
    checkResultId: null,
    domain: 'a.example',
    daysRemaining: 0,
  }
  const see = (more: object = {}) =>
    plane.app.db.transaction((trx) => alertExpiry(trx, { ...sight, ...more }, stamp))
  const alerted = await Promise.all(Array.from({ length: 8 }, () => see()))
  t.equal(alerted.filter(Boolean).length, 1)
  t.equal(await see({ domain: 'b.example' }), true, 'another domain is another certificate')
  t.equal(await see({ domain: 'c.example', daysRemaining: 31 }), false)
  t.strictSame(await notified(plane), [channel, channel])
})

eachEngine('the certificate that a run saw is alerted about with its result', async (t, plane) => {
  await addChannel(plane, 30)
  const checkId = await addCheck(plane, { sslCheckDomain: null })
  const stamp = { now: plane.app.clock.now(), newId: plane.app.newId }
  const when = { startedAt: 0, arrivedLate: false }
  const run = { accountId: plane.accountId, checkId, checkType: 'URL', resultId: 'result', ...when }
  const see = (detail: unknown) =>
    plane.app.db.transaction((trx) => alertOnRunCertificates(trx, [{ ...run, detail }], stamp))
  t.strictSame(await see(null), [])
  t.strictSame(await see({ request: { url: 'https://a.example/' }, response: null }), [])
  const seen = await see({
    request: { url: 'https://a.example/' },
    response: { href: 'https://www.a.example/x', certificate: { daysRemaining: -1 } },
  })
  t.strictSame(seen, ['notifications'])
  const { body } = await plane.call('GET', '/v1/check-alerts')
  t.match(body, [{ error: 'The SSL certificate of www.a.example has expired' }])
})

eachEngine(
  'an SSL check alerts of the certificate that it saw, by the name that it asked for',
  async (t, plane) => {
    await addChannel(plane, 30)
    const { body } = await plane.call('POST', '/v1/checks/ssl', {
      body: { name: 'shop', request: { sslConfig: { hostname: '192.0.2.7', serverName: 'shop.example' } } },
    })
    const stamp = { now: plane.app.clock.now(), newId: plane.app.newId }
    const run = { accountId: plane.accountId, checkId: body.id, checkType: 'SSL', resultId: 'result' }
    const seen = { ...run, startedAt: 0, arrivedLate: false, detail: sslDetail }
    await plane.app.db.transaction((trx) => alertOnRunCertificates(trx, [seen], stamp))
    t.match((await plane.call('GET', '/v1/check-alerts')).body, [
      { alertType: 'ALERT_SSL', error: 'The SSL certificate of shop.example expires in 12 days' },
    ])
  },
)

eachEngine('certificates that end soon cost as much for many runs as for a few', async (t, plane) => {
  const stamp = { now: plane.app.clock.now(), newId: plane.app.newId }
  const detail = {
    request: { url: 'https://a.example/' },
    response: { href: 'https://a.example/', certificate: { daysRemaining: 5 } },
  }
  /** What the runs of a new check read and write. */
  const runsOfCheck = async () => {
    const checkId = await addCheck(plane, { sslCheckDomain: null })
    const run = { accountId: plane.accountId, checkId, checkType: 'URL', resultId: 'result', detail }
    return (count: number) =>
      plane.app.db.transaction(async (trx) => {
        const noted: string[] = []
        const noting = <Q extends { name: string }>(query: Q): Q => {
          noted.push(query.name)
          return query
        }
        const counted: Db = {
          ...trx,
          all: (query, params) => trx.all(noting(query), params),
          get: (query, params) => trx.get(noting(query), params),
          run: (query, params) => trx.run(noting(query), params),
        }
        await alertOnRunCertificates(counted, Array(count).fill(run), stamp)
        return noted
      })
  }
  t.strictSame(await (await runsOfCheck())(50), ['channels-of-accounts'], 'nobody asks for them')
  await addChannel(plane, 4)
  t.strictSame(await (await runsOfCheck())(50), ['channels-of-accounts'], 'nobody asks so early')
  await addChannel(plane, 30)
  const runs = await runsOfCheck()
  t.ok((await runs(1)).includes('claim-certificate-alert'))
  t.strictSame(await runs(50), ['channels-of-accounts', 'certificate-alerts-of'], 'alerted today')
})

t.test('a domain that cannot be looked at is noted and alerts nobody', async (t) => {
  const plane = await testApp(t)
  await addChannel(plane, 30)
  plane.app.certificates = createCertificateReader({ networks: loopback, lookup, port: await closedPort() })
  await addCheck(plane)
  await certificateWatchTick(plane.app)
  t.match(await plane.app.db.select((k) => k.selectFrom('certificate_looks').selectAll()), [
    { expires_at: null, error: /ECONNREFUSED/, looked_at: plane.app.clock.now() },
  ])
  t.strictSame(await notified(plane), [])
})

t.test('a real handshake tells when the certificate ends, also one that nobody trusts', async (t) => {
  const { port } = await httpsServer(
    t,
    authority.issue({ altName: 'DNS:shop.example.com', days: 9 }),
    (_, r) => r.end(),
  )
  const reader = createCertificateReader({ networks: loopback, lookup, port })
  const days = ((await reader.expiresAt('shop.example.com')) - Date.now()) / dayMs
  t.ok(days > 8.9 && days <= 9, String(days))
})

t.test(
  'private addresses, silent servers and servers without TLS are reasons, not certificates',
  async (t) => {
    const silent = await tcpServer(t, () => {})
    const plain = await tcpServer(t, (socket) => socket.end('220 hello\r\n'))
    const networks = loopback
    const at = (port: number, more: object = {}) =>
      createCertificateReader({ networks, lookup, port, timeoutMs: 300, ...more }).expiresAt(
        'shop.example.com',
      )
    await t.rejects(at(silent.port), { name: 'CertificateError', message: /within 300 ms/ })
    await t.rejects(at(plain.port), { name: 'CertificateError' })
    await t.rejects(at(plain.port, { networks: createOutgoingNetworks([]) }), {
      message: /EGRESS_ALLOWED_NETWORKS/,
    })
    await t.rejects(at(plain.port, { lookup: async () => [] }), { message: /has no address/ })
  },
)
