// Runs on both engines: which accounts show their secrets is asked nowhere else.
/** Secrets read whole, where an account has chosen so: a plan of a client that compares them with its files is clean. */
import { eachEngine } from '../support/app.ts'

const secret = { key: 'TOKEN', value: 'very secret', secret: true }
const pagerDuty = { type: 'PAGERDUTY', config: { serviceKey: 'abcdefghijklmnop' } }
const webhook = {
  type: 'WEBHOOK',
  config: { name: 'hook', url: 'https://hooks.example.com/x', method: 'POST', webhookSecret: 'shh' },
}

eachEngine('secrets are read whole by keys that may write, if the account wants it', async (t, plane) => {
  const { call, accountId } = plane
  const make = async (path: string, body: object): Promise<string> => {
    const made = await call('POST', path, { body })
    t.equal(made.status, 201, made.text)
    return `${path.replace(/\/(url|v2)$/, '')}/${made.body.id ?? made.body.key}`
  }
  const variables = [{ ...secret, locked: false }]
  const request = { url: 'https://example.com/' }
  const paths = [
    await make('/v1/variables', secret),
    (await make('/v2/check-groups', { name: 'g', environmentVariables: variables })).replace('/v2', '/v1'),
    await make('/v1/checks/api', {
      ...{ name: 'c', environmentVariables: variables },
      request: { ...request, method: 'GET' },
    }),
    await make('/v1/alert-channels', pagerDuty),
    await make('/v1/alert-channels', webhook),
  ].map((path) => path.replace('/checks/api/', '/checks/'))
  const secrets = ['very secret', 'very secret', 'very secret', 'abcdefghijklmnop', 'shh']
  const seen = async (key = plane.apiKey): Promise<boolean[]> => {
    const answers = await Promise.all(paths.map((path) => call('GET', path, { key })))
    t.ok(answers.every(({ status }) => status === 200))
    return answers.map(({ text }, at) => text.includes(secrets[at] as string))
  }
  const none = secrets.map(() => false)
  t.strictSame(await seen(), none, 'off unless somebody turns it on')

  const turn = (secretsReadable: boolean, key = plane.apiKey) =>
    call('PATCH', '/v1/accounts/me', { key, body: { settings: { secretsReadable } } })
  const writer = (await plane.addKey({ accountId, role: 'READ_WRITE' })).apiKey
  const reader = (await plane.addKey({ accountId, role: 'READ_RUN' })).apiKey
  t.equal((await turn(true, writer)).status, 403, 'whoever may only write does not choose')
  t.equal((await turn(true)).status, 200)
  plane.advance(6000)
  const all = secrets.map(() => true)
  t.strictSame(await seen(), all)
  t.strictSame(await seen(writer), all)
  t.strictSame(await seen(reader), none)
  for (const path of ['/v1/variables', '/v1/check-groups', '/v1/checks', '/v1/alert-channels'])
    t.match((await call('GET', path)).text, path === '/v1/alert-channels' ? /shh/ : /very secret/, path)

  // What was read is sent back, and is still the same.
  const [variable = '', group = ''] = paths
  const { body } = await call('GET', variable)
  t.equal((await call('PUT', variable, { body })).status, 200)
  t.equal((await call('PATCH', group, { body: { name: 'h' } })).status, 200)
  t.strictSame(await seen(), all)
  const { text, body: log } = await call('GET', '/v1/audit-log?limit=100')
  for (const one of secrets) t.notOk(text.includes(one), 'no secret is in the log')
  t.ok(
    log.entries.some(
      ({ action, after }: { action: string; after: unknown }) =>
        action.startsWith('PATCH /v1/accounts') && JSON.stringify(after).includes('"secretsReadable":true'),
    ),
    'that it was turned on is',
  )
  const other = await plane.addKey()
  t.equal((await call('GET', variable, { key: other.apiKey })).status, 404)

  t.equal((await turn(false)).status, 200)
  plane.advance(6000)
  t.strictSame(await seen(), none)
})
