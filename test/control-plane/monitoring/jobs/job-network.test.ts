// Runs on both engines in test:all: its statements run in no other file.
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { createCertificateBox } from '../../../../agent/net/connect/certificate-box.ts'
import { sweepTick } from '../../../../control-plane/monitoring/runs/sweep.ts'
import { scheduleTick } from '../../../../control-plane/monitoring/schedule/schedule.ts'
import type { Job } from '../../../../protocol/job.ts'
import { fillVariables } from '../../../../protocol/templates/encodings.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { createCanaries } from '../../../support/canaries.ts'
import { createAuthority } from '../../../support/certificates.ts'
import { engineNames } from '../../../support/databases.ts'
import { claimRequest } from '../../../support/engine-room.ts'

const authority = createAuthority()
const own = authority.issue({ altName: 'DNS:client' })
const other = authority.issue({ altName: 'DNS:other' })
const checkTypes = ['URL', 'API', 'TCP', 'DNS', 'SSL', 'GRPC'] as const

const created = async ({ call }: TestApp, path: string, body: object): Promise<string> => {
  const answer = await call('POST', path, { body })
  if (answer.status !== 201) throw new Error(answer.text)
  return String(answer.body.id)
}

const placed = { privateLocations: ['local'], locations: [], frequency: 1 }

/** A job of each check of the location, by the check's name, and the texts that brought them. They are handed back. */
const claim = async (plane: TestApp, sealTo?: string) => {
  const agentId = plane.app.newId()
  const more = sealTo === undefined ? {} : { sealTo }
  const body = claimRequest({ agentId, checkTypes: [...checkTypes], ...more })
  const jobs = new Map<string, Job>()
  let text = ''
  // Once a minute each, at a time of its own.
  for (let seconds = 0; seconds < 60; seconds += 10) {
    plane.advance(10_000)
    await scheduleTick(plane.app)
    await sweepTick(plane.app)
    const answer = await plane.call('POST', '/agent/v1/claim', { key: plane.agentKey, body })
    for (const job of answer.body.jobs as Job[]) jobs.set(job.checkName, job)
    text += answer.text
  }
  const leases = [...jobs.values()].map(({ id, fence }) => ({ jobId: id, fence }))
  await plane.call('POST', '/agent/v1/release', { key: plane.agentKey, body: { agentId, leases } })
  return { text, jobs }
}

for (const engine of engineNames) {
  t.test(`a client certificate is in the jobs for its host, sealed for who claims (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const canaries = createCanaries()
    for (const line of own.key.split('\n').filter((one) => one.length > 20 && !one.startsWith('-')))
      canaries.add('key', line)
    const wild = { host: '*.example.com', cert: own.cert, key: own.key, ca: authority.pem }
    await created(plane, '/v1/client-certificates', wild)
    await created(plane, '/v1/client-certificates', { host: 'full.example.com', ...other })
    const url = (name: string, address: string) =>
      created(plane, '/v1/checks/url', { name, ...placed, request: { url: address } })
    await url('wild', 'https://API.example.com:8443/path')
    await url('dot', 'https://api.example.com./')
    await url('full', 'https://full.example.com/')
    await url('none', 'https://example.org/?host=a.example.com')
    const groupId = await plane.call('POST', '/v2/check-groups', {
      body: { name: 'g', apiCheckDefaults: { url: 'https://in-group.example.com' } },
    })
    await created(plane, '/v1/checks/api', {
      name: 'group',
      ...placed,
      groupId: groupId.body.id,
      request: { method: 'GET', url: '{{GROUP_BASE_URL}}/x?{{UNSET}}' },
    })
    await created(plane, '/v1/checks/tcp', {
      name: 'tcp',
      ...placed,
      request: { hostname: 'api.example.com', port: 443 },
    })
    const box = createCertificateBox()
    const { jobs, text } = await claim(plane, box.publicKey)
    t.equal(jobs.size, 6)
    const hosts = [...jobs].map(([name, { certificate }]) => [name, certificate?.host])
    t.strictSame(Object.fromEntries(hosts), {
      wild: 'api.example.com',
      dot: 'api.example.com',
      full: 'full.example.com',
      none: undefined,
      group: 'in-group.example.com',
      tcp: undefined,
    })
    const opened = (name: string) => {
      const { id, certificate } = jobs.get(name)!
      return box.open(certificate!.sealed, id)
    }
    t.strictSame(opened('wild'), { cert: own.cert, ca: authority.pem, key: own.key, passphrase: null })
    t.strictSame(opened('full'), { ...other, ca: null, passphrase: null })
    t.not(jobs.get('wild')!.certificate!.sealed, jobs.get('dot')!.certificate!.sealed)
    t.throws(() => box.open(jobs.get('wild')!.certificate!.sealed, jobs.get('dot')!.id), /not for this agent/)
    t.throws(
      () => createCertificateBox().open(jobs.get('wild')!.certificate!.sealed, jobs.get('wild')!.id),
      /not for this agent/,
    )
    const stored = JSON.stringify(await plane.app.db.select((k) => k.selectFrom('jobs').selectAll()))
    for (const place of [text, stored, JSON.stringify(plane.logged)])
      t.same(canaries.find(Buffer.from(place)), [])
  })

  t.test(
    `SSL and gRPC checks present those of their host, SSL checks where they say so (${engine})`,
    async (t) => {
      const plane = await testApp(t, { engine })
      await created(plane, '/v1/client-certificates', { host: 'a.example', ...own })
      const chosen = await created(plane, '/v1/client-certificates', { host: 'b.example', ...other })
      const ssl = (name: string, config: object, more: object = {}) =>
        created(plane, '/v1/checks/ssl', {
          name,
          ...placed,
          request: { sslConfig: { hostname: 'A.example', ...config }, ...more },
        })
      await ssl('auto', { clientCertificateMode: 'auto' })
      await ssl('chosen', { clientCertificateMode: 'explicit' }, { sslClientCertificateId: chosen })
      await ssl('none', {}, { sslClientCertificateId: chosen })
      const metadata = [{ key: 'authorization', value: 'Bearer x', locked: true }]
      await created(plane, '/v1/checks/grpc', {
        name: 'grpc',
        ...placed,
        request: { url: 'a.example', port: 443, grpcConfig: { mode: 'HEALTH', metadata } },
      })
      const box = createCertificateBox()
      const { jobs } = await claim(plane, box.publicKey)
      const certOf = (name: string) => {
        const { id, certificate } = jobs.get(name)!
        return certificate === undefined ? null : box.open(certificate.sealed, id).cert
      }
      t.equal(certOf('auto'), own.cert)
      t.equal(certOf('chosen'), other.cert)
      t.equal(certOf('none'), null)
      t.equal(certOf('grpc'), own.cert)
      t.match(
        jobs.get('grpc')?.spec,
        { request: { metadata } },
        'what is sealed in the store is clear in the job',
      )
    },
  )

  t.test(`an agent that cannot open certificates gets none (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    await created(plane, '/v1/client-certificates', { host: '*', ...own })
    await created(plane, '/v1/checks/url', { name: 'a', ...placed, request: { url: 'https://a.example/' } })
    const { jobs } = await claim(plane)
    t.notOk('certificate' in jobs.get('a')!)
    const stranger = await plane.addKey()
    await plane.call('POST', '/v1/client-certificates', { key: stranger.apiKey, body: { host: '*', ...own } })
    const [{ id } = { id: '' }] = (await plane.call('GET', '/v1/client-certificates')).body
    await plane.call('DELETE', `/v1/client-certificates/${id}`)
    const later = await claim(plane, randomBytes(32).toString('base64url'))
    t.notOk('certificate' in later.jobs.get('a')!, "another account's is nobody's")
  })

  t.test(`the proxy of a location is in the jobs that an HTTP proxy can carry (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    await created(plane, '/v1/checks/url', { name: 'url', ...placed, request: { url: 'http://a.example/' } })
    await created(plane, '/v1/checks/tcp', {
      name: 'tcp',
      ...placed,
      request: { hostname: 'a.example', port: 1 },
    })
    await created(plane, '/v1/checks/dns', {
      name: 'dns',
      ...placed,
      request: { query: 'a.example', recordType: 'A' },
    })
    const password = 'p@ss word'
    await plane.call('POST', '/v1/variables', { body: { key: 'PASSWORD', value: password, secret: true } })
    const path = `/v1/private-locations/${plane.locationId}`
    const proxies = async (proxyUrl: string | null) => {
      const answer = await plane.call('PUT', path, { body: { name: 'local', proxyUrl } })
      t.equal(answer.status, 200, answer.text)
      const { jobs } = await claim(plane)
      return [...jobs].map(([name, job]) => [name, job.proxyUrl])
    }
    const all = async (proxyUrl: string | null) => Object.fromEntries(await proxies(proxyUrl))
    t.strictSame(await all(null), { url: undefined, tcp: undefined, dns: undefined })
    const filled = `http://me:${encodeURIComponent(password)}@proxy.example:3128`
    t.strictSame(await all('http://me:{{PASSWORD}}@proxy.example:3128'), {
      url: filled,
      tcp: filled,
      dns: undefined,
    })
    const unset = 'http://me:{{NOBODY}}@proxy.example:3128'
    t.match(await all(unset), { url: unset })
  })
}

t.test('variables of addresses are filled in as agents do it', async (t) => {
  const variables = new Map([
    ['A', 'a b/c'],
    ['BASE', 'https://example.com'],
  ])
  const cases = [
    ['{{BASE}}/x', 'https://example.com/x'],
    ['http://h/{{A}}', 'http://h/a%20b%2Fc'],
    ['http://h/{{{ A }}}', 'http://h/a b/c'],
    ['http://h/{{NONE}}', 'http://h/{{NONE}}'],
    ['http://h/{A}', 'http://h/{A}'],
  ] as const
  for (const [text, filled] of cases) t.equal(fillVariables(text, variables), filled)
})
