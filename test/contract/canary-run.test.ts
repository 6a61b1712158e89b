// Runs in test:all only: it starts both programs and runs every kind of check.
/**
 * The secrets of a run: both real programs, a target and providers that answer with what they were sent, scripts that
 * print what they know. Nothing of it is in the store, the artifacts, the spool, the logs or an answer.
 */
import { createPrivateKey } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import { createCertificateBox } from '../../agent/net/connect/certificate-box.ts'
import type { Job } from '../../protocol/job.ts'
import { callApi } from '../support/api.ts'
import { type Canaries, createCanaries } from '../support/canaries.ts'
import { createAuthority } from '../support/certificates.ts'
import { claimRequest } from '../support/engine-room.ts'
import {
  agentKey,
  apiKey,
  endsWith,
  listening,
  scratchFolder,
  spawnAgent,
  spawnControlPlane,
} from '../support/programs.ts'
import { receiver } from '../support/receiver.ts'
import { closedPort } from '../support/servers.ts'
import { tellingServer } from '../support/telling-server.ts'
import { until } from '../support/until.ts'

const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && basename(entry.name) !== 'bootstrap.json')
        .map((entry) => join(entry.parentPath, entry.name))
    : []

const clientCertificate = (canaries: Canaries) => {
  const { key, cert } = createAuthority().issue({ altName: 'DNS:client' })
  const passphrase = canaries.plant('passphrase')
  const options = { format: 'pem', type: 'pkcs8' } as const
  const sealed = String(createPrivateKey(key).export({ ...options, cipher: 'aes-256-cbc', passphrase }))
  canaries.add('line of the clear key', key.split('\n')[1] ?? '')
  canaries.add('line of the encrypted key', sealed.split('\n')[3] ?? '')
  return { host: 'localhost', cert, key: sealed, passphrase }
}

const operator = async (t: Test, canaries: Canaries, origin: string) => ({
  LOG_LEVEL: 'trace',
  EGRESS_ALLOWED_NETWORKS: '127.0.0.0/8',
  SMTP_URL: `smtp://ada:${canaries.plant('password of SMTP_URL')}@127.0.0.1:${await tellingServer(t)}?tls=optional`,
  MAIL_FROM: 'watchpost@example.com',
  TWILIO_ACCOUNT_SID: 'AC1',
  TWILIO_AUTH_TOKEN: canaries.plant('TWILIO_AUTH_TOKEN'),
  TWILIO_FROM: '+14155550100',
  TWILIO_BASE_URL: origin,
  SLACK_APP_TOKEN: canaries.plant('SLACK_APP_TOKEN'),
  SLACK_BASE_URL: origin,
  RCA_BASE_URL: `${origin}/v1`,
  RCA_MODEL: 'm',
  RCA_API_KEY: canaries.plant('RCA_API_KEY'),
})

const channelsOf = (canaries: Canaries, origin: string) => [
  { type: 'SMS', config: { name: 'sms', number: '+14155550101' } },
  { type: 'CALL', config: { name: 'call', number: '+14155550101' } },
  { type: 'SLACK_APP', config: { slackChannels: ['#ops'] } },
  { type: 'EMAIL', config: { address: 'ops@example.com' } },
  { type: 'SLACK', config: { url: `${origin}/services/${canaries.plant('slack address')}` } },
  {
    type: 'WEBHOOK',
    config: {
      name: 'hook',
      url: `${origin.replace('//', `//ada:${canaries.plant('webhook password')}@`)}/in?token=${canaries.plant('webhook token')}`,
      webhookSecret: canaries.plant('webhook secret'),
      headers: [{ key: 'authorization', value: canaries.plant('webhook header'), locked: true }],
      template: '{"token":"{{SECRET}}","name":"{{CHECK_NAME}}"}',
    },
  },
]

const saysAll = `console.log('I know', process.env.SECRET, Buffer.from(process.env.OWN).toString('base64'))
const own = Buffer.from(process.env.OWN)
const spelled = (write) => [...own].map(write).join('')
console.log(process.env.OWN.toUpperCase(), spelled((byte) => '=' + byte.toString(16)), spelled((byte) => '&#' + byte + ';'))
console.log(spelled((byte) => '\\\\' + byte.toString(8)), spelled((byte) => '\\\\x' + byte.toString(16)))
console.log(Buffer.from(own.toString('base64')).toString('base64'), Buffer.from(process.env.OWN, 'utf16le').toString('latin1'))
console.log(process.env.SECRET.slice(0, 14))
console.log(process.env.SECRET.slice(14))`

t.test('what runs, alerts and mails leave behind holds no secret', async (t) => {
  const canaries = createCanaries()
  const echo = await receiver(t, ({ method, path, headers, text }) => ({
    status: 500,
    headers: { 'content-type': 'text/plain', 'x-echo': path },
    body: `${method} ${path} ${JSON.stringify(headers)} ${text}`,
  }))
  const folder = await scratchFolder(t)
  const [dataDir, spoolDir] = [join(folder, 'data'), join(folder, 'spool')]
  const env = await operator(t, canaries, echo.origin)
  const plane = await listening(endsWith(t, spawnControlPlane({ dataDir, env })))
  const call = <T>(path: string, method = 'GET', body?: object) =>
    callApi<T>(plane.url, path, { method, ...(body ? { body } : {}) })
  const create = async (path: string, body: object): Promise<string> => {
    const answer = await call<{ id: string }>(path, 'POST', body)
    t.equal(answer.status, 201, `${path}: ${JSON.stringify(answer.body)}`)
    return answer.body.id
  }

  const variable = canaries.plant('variable')
  await create('/v1/variables', { key: 'SECRET', value: variable, secret: true })
  // Scripts print it in two lines.
  for (const half of [variable.slice(0, 14), variable.slice(14)]) canaries.add('half of the variable', half)
  await create('/v1/client-certificates', clientCertificate(canaries))
  const channels: string[] = []
  for (const channel of channelsOf(canaries, echo.origin))
    channels.push(await create('/v1/alert-channels', channel))
  const shared = {
    locations: [],
    privateLocations: ['local'],
    frequency: 10,
    doubleCheck: false,
    useGlobalAlertSettings: false,
    alertSettings: {},
    alertChannelSubscriptions: channels.map((alertChannelId) => ({ alertChannelId, activated: true })),
    environmentVariables: [{ key: 'OWN', value: canaries.plant('own variable'), secret: true }],
    localSetupScript: `${saysAll}\nrequest.headers['x-again'] = process.env.OWN`,
    localTearDownScript: `${saysAll}\nconsole.log(response && response.body)`,
  }
  const request = (port: number) => ({
    method: 'POST',
    url: `http://localhost:${port}/target?key={{SECRET}}`,
    headers: [{ key: 'x-key', value: canaries.plant('locked header'), locked: true }],
    basicAuth: { username: 'ada', password: canaries.plant('basic password') },
    body: '{"own":"{{OWN}}"}',
    bodyType: 'JSON',
  })
  const checks = [
    await create('/v1/checks/api', { ...shared, name: 'echoing', request: request(echo.port) }),
    await create('/v1/checks/api', { ...shared, name: 'refused', request: request(await closedPort()) }),
  ]
  await create('/v1/accounts/me/invites', { email: 'ada@example.com', role: 'ADMIN' })

  const box = createCertificateBox()
  const offered = await fetch(`${plane.url}/agent/v1/claim`, {
    method: 'POST',
    headers: { authorization: `Bearer ${agentKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...claimRequest({ agentId: 'by-hand', checkTypes: ['API'], waitMs: 10_000, fresh: true }),
      ...{ maxMain: 10, runtimeIds: ['2026.04', '2025.04', '2024.09', '2024.02'], sealTo: box.publicKey },
    }),
  })
  const claimed = await offered.text()
  const { jobs } = JSON.parse(claimed) as { jobs: Job[] }
  t.ok(jobs.length > 0 && jobs.every(({ certificate }) => certificate), 'jobs carry a sealed certificate')
  const inClear = canaries.find(Buffer.from(claimed), ({ label }) => /key$|passphrase/.test(label))
  t.strictSame(inClear, [], 'and nothing of its key in clear')
  for (const { id, certificate } of jobs)
    t.match(box.open(certificate?.sealed ?? '', id).key, /PRIVATE KEY/, 'which the agent that asked can open')
  await fetch(`${plane.url}/agent/v1/release`, {
    method: 'POST',
    headers: { authorization: `Bearer ${agentKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      agentId: 'by-hand',
      leases: jobs.map(({ id, fence }) => ({ jobId: id, fence })),
    }),
  })

  const agent = endsWith(t, spawnAgent({ url: plane.url, spoolDir, env: { LOG_LEVEL: 'trace' } }))
  const tried = async () => {
    const { body } = await call<Array<{ notificationResult: string | null }>>(
      '/v1/alert-notifications?limit=100',
    )
    return body.filter(({ notificationResult }) => notificationResult !== null)
  }
  const wanted = checks.length * channels.length
  let all = await tried()
  const look = async (): Promise<boolean> => {
    all = await tried()
    return all.length >= wanted
  }
  // The list may be asked for five times in ten seconds.
  await until('every channel was told of every check', look, 2500)
  t.equal(all.length, wanted)
  await plane.line(/A mail was not sent/)

  const answers = [JSON.stringify(all), await (await fetch(`${plane.url}/metrics`)).text()]
  const read = async (path: string): Promise<string> => {
    const response = await fetch(plane.url + path, { headers: { authorization: `Bearer ${apiKey}` } })
    const text = await response.text()
    answers.push(text)
    return text
  }
  for (const id of checks) {
    const page = JSON.parse(await read(`/v2/check-results/${id}`)) as { entries: { id: string }[] }
    t.ok(page.entries.length > 0, 'it has a result')
    for (const entry of page.entries) {
      const result = await read(`/v1/check-results/${id}/${entry.id}`)
      t.match(result, /I know \[secret\] \[secret\]/, 'with what its scripts printed, scrubbed')
      await read(`/v1/check-results/${id}/${entry.id}/assets`)
    }
    await read(`/v1/checks/${id}/alert-explanation`)
  }
  for (const path of ['/v1/check-alerts', '/v1/error-groups', '/v1/check-statuses']) await read(path)
  for (const id of channels) answers.push(JSON.stringify(await call(`/v1/alert-channels/${id}/test`, 'POST')))
  t.strictSame(canaries.find(Buffer.from(answers.join('\n'))), [], 'no answer holds a secret')

  const printed = [agent.output(), plane.output()]
  await agent.end('SIGTERM')
  for (const when of ['while it runs', 'after it has ended']) {
    const files = [...filesIn(dataDir), ...filesIn(spoolDir)]
    const artifacts = files.filter((file) => file.startsWith(join(dataDir, 'artifacts')))
    t.ok(artifacts.length > 0, `${when}: ${files.length} files, ${artifacts.length} of them artifacts`)
    for (const file of files)
      t.strictSame(canaries.find(readFileSync(file)), [], `${when}: ${file.slice(folder.length)}`)
    await plane.end('SIGTERM')
  }
  printed.push(agent.output(), plane.output())
  t.strictSame(canaries.find(Buffer.from(printed.join('\n'))), [], 'what they printed holds no secret')
  t.comment(`${canaries.planted.length} secrets, ${echo.received.length} echoes`)
})
