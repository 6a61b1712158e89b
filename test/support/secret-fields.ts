/** Every field of the API that takes a secret, with requests that plant a canary in each. */
import { createPrivateKey } from 'node:crypto'
import { checkKinds } from '../../control-plane/monitoring/definitions/checks/types/index.ts'
import type { Canaries } from './canaries.ts'
import { createAuthority } from './certificates.ts'

export type Plant = {
  path: string
  body: Record<string, unknown>
  /** The same with other secrets, for `PUT`. */
  changes?: Record<string, unknown>
}

const variables = (canaries: Canaries, of: string) => [
  { key: 'SECRET', value: canaries.plant(`secret variable of ${of}`), secret: true },
  { key: 'LOCKED', value: canaries.plant(`locked variable of ${of}`, 'writers'), locked: true },
]

const httpSecrets = (canaries: Canaries, of: string) => ({
  headers: [{ key: 'x-key', value: canaries.plant(`locked header of ${of}`, 'writers'), locked: true }],
  queryParameters: [
    { key: 'k', value: canaries.plant(`locked query parameter of ${of}`, 'writers'), locked: true },
  ],
  basicAuth: { username: 'ada', password: canaries.plant(`password of ${of}`, 'writers') },
})

const checks = (canaries: Canaries): Plant[] =>
  Object.values(checkKinds)
    .filter(({ takesVariables }) => takesVariables)
    .map(({ path, title, example }) => {
      const call = (of: string) => ({
        mode: 'HEALTH',
        metadata: [
          { key: 'x-key', value: canaries.plant(`locked metadata of ${of}`, 'writers'), locked: true },
        ],
      })
      const secrets = (when: string) => ({
        environmentVariables: variables(canaries, `${title} ${when}`),
        ...(path === 'api'
          ? { request: { ...(example['request'] as object), ...httpSecrets(canaries, `${title} ${when}`) } }
          : {}),
        ...(path === 'grpc'
          ? { request: { ...(example['request'] as object), grpcConfig: call(`${title} ${when}`) } }
          : {}),
      })
      return {
        path: `/v1/checks/${path}`,
        body: { ...example, locations: [], privateLocations: ['local'], ...secrets('created') },
        changes: secrets('changed'),
      }
    })

const groups = (canaries: Canaries): Plant[] =>
  ['v1', 'v2'].map((version) => {
    const secrets = (when: string) => ({
      environmentVariables: variables(canaries, `${version} group ${when}`),
      apiCheckDefaults: httpSecrets(canaries, `${version} group ${when}`),
    })
    return {
      path: `/${version}/check-groups`,
      body: { name: 'Shop', ...secrets('created') },
      changes: { name: 'Shop', ...secrets('changed') },
    }
  })

const channels = (canaries: Canaries): Plant[] => {
  const address = (label: string) => canaries.plant(label, 'writers')
  const webhook = (when: string, url: string) => ({
    name: 'hook',
    url,
    webhookSecret: canaries.plant(`webhook secret ${when}`),
    headers: [{ key: 'authorization', value: canaries.plant(`webhook header ${when}`), locked: true }],
    queryParameters: [{ key: 'token', value: canaries.plant(`webhook parameter ${when}`), locked: true }],
  })
  const configs: Record<string, (when: string) => object> = {
    WEBHOOK: (when) =>
      webhook(
        when,
        `https://ada:${address(`webhook password ${when}`)}@hooks.example/${address(`webhook path ${when}`)}?team=${address(`webhook query ${when}`)}`,
      ),
    'WEBHOOK of a template': (when) =>
      webhook(when, `https://hooks.example/${address(`templated path ${when}`)}/{{CHECK_ID}}`),
    'WEBHOOK of a chat': (when) =>
      webhook(when, `https://discord.com/api/webhooks/7/${address(`chat address ${when}`)}`),
    SLACK: (when) => ({
      url: `https://hooks.slack.example/services/${address(`slack address ${when}`)}`,
    }),
    OPSGENIE: (when) => ({
      name: 'ops',
      apiKey: canaries.plant(`opsgenie key ${when}`),
      region: 'EU',
      priority: 'P1',
    }),
    PAGERDUTY: (when) => ({ serviceKey: canaries.plant(`pagerduty key ${when}`) }),
  }
  return Object.entries(configs)
    .map(([name, config]) => [name.split(' ')[0], config] as const)
    .map(([type, config]) => ({
      path: '/v1/alert-channels',
      body: { type, config: config('created') },
      changes: { type, config: config('changed') },
    }))
}

const certificates = (canaries: Canaries): Plant[] => {
  const { key, cert } = createAuthority().issue({ altName: 'DNS:example.org' })
  const passphrase = canaries.plant('passphrase')
  const options = { format: 'pem', type: 'pkcs8' } as const
  const sealed = String(createPrivateKey(key).export({ ...options, cipher: 'aes-256-cbc', passphrase }))
  const jwk = createPrivateKey(key).export({ format: 'jwk' })
  canaries.add('number of the private key', Buffer.from(jwk.d ?? '', 'base64url').toString('latin1'))
  canaries.add('line of the clear key', key.split('\n')[1] ?? '')
  canaries.add('line of the encrypted key', sealed.split('\n')[3] ?? '')
  return [
    { path: '/v1/client-certificates', body: { host: 'example.org', cert, key: sealed, passphrase } },
    { path: '/v1/client-certificates', body: { host: 'clear.example.org', cert, key } },
  ]
}

export const plantsOf = (canaries: Canaries): Plant[] => [
  {
    path: '/v1/variables',
    body: { key: 'SECRET', value: canaries.plant('secret variable'), secret: true },
    changes: { value: canaries.plant('secret variable changed') },
  },
  {
    path: '/v1/variables',
    body: { key: 'LOCKED', value: canaries.plant('locked variable', 'writers'), locked: true },
    changes: { value: canaries.plant('locked variable changed', 'writers') },
  },
  ...certificates(canaries),
  {
    path: '/v1/private-locations',
    body: {
      name: 'Office',
      slugName: 'office',
      proxyUrl: `http://ada:${canaries.plant('proxy password')}@proxy.example:3128`,
    },
    changes: {
      name: 'Office',
      proxyUrl: `http://ada:${canaries.plant('proxy password changed')}@proxy.example`,
    },
  },
  ...channels(canaries),
  ...groups(canaries),
  ...checks(canaries),
]

/** Fields whose name sounds like a secret, and what plants one there or why they hold none. */
export const secretSounding: Record<string, string> = {
  passphrase: 'planted',
  password: 'planted',
  webhookSecret: 'planted',
  apiKey: 'planted',
  secretsReadable: 'whether secrets are shown, which is none',
  serviceKey: 'planted',
  proxyUrl: 'planted',
  secret: 'a flag',
  pingToken: 'shown to whoever may read the check: it is part of its address',
  token: 'of an invite: taken, never stored',
}
