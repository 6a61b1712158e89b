// Runs in test:all only: it applies files of every kind of resource, again and again.
// Runs on both engines in test:all: statements about the keys of files run in no other file.
/** Files of every kind of resource: applied once they stay as they are, changes are told and made, and only what files made goes. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { insertKey } from '../../control-plane/as-code/queries.ts'
import { eachEngine, type TestApp, testApp } from '../support/app.ts'
import { workplaceOf } from '../support/command-program.ts'

const everything = `
project: shop
defaults:
  checks:
    privateLocations: ["\${location.office}"]
    frequency: 10
locations:
  office: { name: The office, slugName: office }
variables:
  SHOP_URL: { value: https://shop.example }
  SHOP_TOKEN: { value: "\${env.SHOP_TOKEN}", secret: true }
snippets:
  log-in: { name: Log in, script: "\${file:./log-in.js}" }
channels:
  ops:
    type: WEBHOOK
    config: { name: Ops, url: "https://hooks.example/\${env.SHOP_TOKEN}", method: POST, webhookSecret: "\${env.SHOP_TOKEN}" }
  mail: { type: EMAIL, config: { address: ops@shop.example } }
groups:
  shop:
    name: Shop
    tags: [shop]
    locations: []
    privateLocations: ["\${location.office}"]
    concurrency: 2
    environmentVariables: [{ key: TOKEN, value: "\${env.SHOP_TOKEN}", secret: true }]
    alertChannelSubscriptions: [{ alertChannelId: "\${channel.ops}" }]
checks:
  home:
    checkType: URL
    name: Home page
    tags: [smoke, shop]
    groupId: \${group.shop}
    request: { url: https://shop.example/, assertions: [{ source: STATUS_CODE, comparison: EQUALS, target: "200" }] }
    alertChannelSubscriptions: [{ alertChannelId: "\${channel.ops}" }, { alertChannelId: "\${channel.mail}" }]
  api:
    checkType: API
    name: Orders
    setupSnippetId: \${snippet.log-in}
    request:
      url: https://shop.example/orders
      method: GET
      headers: [{ key: authorization, value: "Bearer \${env.SHOP_TOKEN}", locked: true }]
      basicAuth: { username: shop, password: "\${env.SHOP_TOKEN}" }
  journey:
    checkType: BROWSER
    name: Buy something
    script: "\${file:./buy.spec.ts}"
    environmentVariables: [{ key: TOKEN, value: "\${env.SHOP_TOKEN}", secret: true }]
  tcp: { checkType: TCP, name: Port, request: { hostname: shop.example, port: 443 } }
  dns: { checkType: DNS, name: Name, request: { query: shop.example, recordType: A } }
  ping: { checkType: ICMP, name: Ping, request: { hostname: shop.example } }
services:
  checkout: { name: Checkout, translations: { de: { name: Kasse } } }
statusPages:
  public:
    name: Shop
    url: shop
    cards: [{ name: Shop, services: [{ id: "\${service.checkout}" }] }]
maintenanceWindows:
  nightly:
    name: Nightly
    startsAt: 2030-01-01T01:00:00Z
    endsAt: 2030-01-01T02:00:00Z
    tags: [shop]
    repeatUnit: DAY
    repeatInterval: 1
    repeatEndsAt: 2031-01-01T00:00:00Z
`

const heartbeat = `
checks:
  job: { checkType: HEARTBEAT, name: Backup, heartbeat: { period: 1, periodUnit: days, grace: 1, graceUnit: hours } }
`
const script = `// \`\${env.NOT_OURS}\` stays what it is\nconst total = \`\${1 + 1}\`\n`

/** What is about files, and asks the store for nothing that the others do not. */
const onSqlite = (name: string, body: (t: Test, plane: TestApp) => Promise<void>): void => {
  t.test(name, async (t) => body(t, await testApp(t)))
}

const shopOf = async (t: Test, plane: TestApp) => {
  const place = await workplaceOf(t, { ...plane, env: { SHOP_TOKEN: 'a secret of the shop' } })
  await place.write({ 'watchpost/shop.yaml': everything, 'watchpost/jobs.yaml': heartbeat })
  await place.write({ 'watchpost/log-in.js': script, 'watchpost/buy.spec.ts': script })
  return place
}

eachEngine('every kind of resource is made once, and then nothing is left to do', async (t, plane) => {
  const place = await shopOf(t, plane)
  // The scripts stand beside, and are no files of resources.
  const words = ['watchpost/shop.yaml', 'watchpost/jobs.yaml']
  const planned = await place.run('plan', ...words, '--detailed-exitcode')
  t.equal(planned.exitCode, 2, planned.stderr)
  t.match(planned.stdout, '+ check.home URL "Home page" will be created')
  t.match(planned.stdout, '17 to create')
  t.notMatch(planned.stdout, 'a secret of the shop')
  const applied = await place.run('apply', ...words)
  t.equal(applied.exitCode, 0, applied.stderr)
  t.match(applied.stdout, /Applied: 17 created \(planned in [\d.]+ s, applied in [\d.]+ s\)/)
  const again = await place.run('plan', ...words, '--detailed-exitcode')
  t.equal(again.stdout, 'Project shop: nothing to do, 17 unchanged.\n')
  t.equal(again.exitCode, 0)

  const checks = (await plane.call('GET', '/v1/checks?limit=100')).body as Record<string, unknown>[]
  t.equal(checks.length, 7)
  const home = checks.find(({ name }) => name === 'Home page') ?? {}
  t.match(home, { privateLocations: ['office'], frequency: 10, alertChannelSubscriptions: [{}, {}] })
  const journey = checks.find(({ name }) => name === 'Buy something') ?? {}
  t.match(journey, { script }, 'files are taken as they are')
  const entries = (await plane.call('GET', '/v1/audit-log?limit=100')).body
  t.match(JSON.stringify(entries), '/v1/checks', 'each change is in the audit log under its own route')
})

const onOutages = `
project: shop
channels:
  mail: { type: EMAIL, config: { address: ops@shop.example } }
  ops:
    type: WEBHOOK
    config: { name: Ops, url: https://hooks.example/, method: POST }
    fallbackChannelId: \${channel.mail}
    hours: { timezone: Europe/Berlin, mode: quiet, waits: low, times: [{ days: [SA, SU], from: "18:00", to: "08:00" }] }
    grouping: { by: TAG, intervalSeconds: 120 }
groups:
  network: { name: Network, tags: [network], locations: [] }
  shop:
    name: Shop
    locations: []
    dependsOn: [{ groupId: "\${group.network}" }]
    groupHealth: { failingWhen: PERCENTAGE, percentage: 40, tells: GROUP }
checks:
  router: { checkType: ICMP, name: Router, severity: CRITICAL, groupId: "\${group.network}", request: { hostname: router.example } }
  home:
    checkType: URL
    name: Home page
    severity: LOW
    dependsOn: [{ checkId: "\${check.router}" }, { groupId: "\${group.network}" }]
    request: { url: https://shop.example/ }
`

onSqlite(
  'what says how outages are told is made, stays, and is exported as it was written',
  async (t, plane) => {
    const place = await workplaceOf(t, plane)
    await place.write({ 'watchpost.yaml': onOutages })
    t.equal((await place.run('validate')).exitCode, 0)
    const applied = await place.run('apply', '--json')
    t.match(applied.json, { created: 6, failed: 0 }, applied.stderr + applied.stdout)
    const again = await place.run('plan', '--detailed-exitcode')
    t.equal(again.stdout, 'Project shop: nothing to do, 6 unchanged.\n')
    const [channel] = (await plane.call('GET', '/v1/alert-channels')).body.filter(
      ({ type }: { type: string }) => type === 'WEBHOOK',
    )
    t.match(channel, {
      fallbackChannelId: Number,
      hours: { waits: 'low' },
      grouping: { intervalSeconds: 120 },
    })

    const exported = await place.run('export', '--project', 'other', '--out', 'other.yaml')
    t.equal(exported.exitCode, 0, exported.stderr)
    const { channels, groups, checks } = parse(await readFile(join(place.folder, 'other.yaml'), 'utf8'))
    const written = parse(onOutages)
    const { fallbackChannelId, ...ops } = channels['WEBHOOK-Ops']
    t.equal(fallbackChannelId, `\${channel.EMAIL-ops-shop.example}`)
    t.strictSame([ops.hours, ops.grouping], [written.channels.ops.hours, written.channels.ops.grouping])
    t.match(groups.Shop, {
      groupHealth: written.groups.shop.groupHealth,
      dependsOn: [{ groupId: `\${group.Network}` }],
    })
    t.match(checks, {
      Router: { severity: 'CRITICAL', groupId: `\${group.Network}` },
      'Home-page': {
        severity: 'LOW',
        dependsOn: [{ checkId: `\${check.Router}` }, { groupId: `\${group.Network}` }],
      },
    })
  },
)

const urlCheck = (name: string, more = '') =>
  `{ checkType: URL, name: ${name}, request: { url: "https://shop.example/${name}" }${more} }`

eachEngine(
  'what was changed by hand is told and put right, and only what files made is deleted',
  async (t, plane) => {
    const place = await workplaceOf(t, plane)
    const byHand = await plane.call('POST', '/v1/checks/url', {
      body: { name: 'by hand', request: { url: 'https://by-hand.example/' } },
    })
    await place.write({
      'watchpost.yaml': `{ project: shop, checks: { a: ${urlCheck('a')}, b: ${urlCheck('b')} }, groups: { g: { name: G } } }`,
    })
    t.equal((await place.run('apply')).exitCode, 0)
    const named = async (name: string) =>
      (
        (await plane.call('GET', `/v1/checks?search=${name}&limit=100`)).body as Record<string, unknown>[]
      ).filter((check) => check['name'] === name)
    const [a] = await named('a')
    plane.advance(1000)
    await plane.call('PUT', `/v1/checks/url/${a?.['id']}`, { body: { name: 'a', muted: true } })
    const drift = await place.run('plan', '--json')
    t.match(drift.json, {
      hasChanges: true,
      changes: [
        {
          action: 'update',
          kind: 'check',
          key: 'a',
          differences: [{ path: 'muted', before: true, after: false }],
        },
      ],
      unchanged: 2,
    })
    t.equal(drift.json.changes.length, 1)
    t.match((await place.run('plan')).stdout, 'muted: true → false')

    await place.write({
      'watchpost.yaml': `{ project: shop, checks: { a: ${urlCheck('a', ', frequency: 60')} } }`,
    })
    const applied = await place.run('apply', '--json')
    t.match(applied.json, { created: 0, changed: 1, deleted: 2, failed: 0 }, applied.stderr + applied.stdout)
    const [after] = await named('a')
    t.match(after, { id: a?.['id'], muted: false, frequency: 60 }, 'the same check')
    t.equal((await plane.call('GET', `/v1/checks/${byHand.body.id}`)).status, 200)

    const pruned = await place.run('apply', '--prune', '--json')
    t.match(pruned.json, { deleted: 1, unchanged: 1 }, pruned.stderr)
    t.equal((await plane.call('GET', `/v1/checks/${byHand.body.id}`)).status, 404)
  },
)

eachEngine('another type replaces a check; what somebody deleted is made again', async (t, plane) => {
  const place = await workplaceOf(t, plane)
  await place.write({ 'watchpost.yaml': `{ checks: { a: ${urlCheck('a')}, b: ${urlCheck('b')} } }` })
  await place.run('apply')
  const [first, second] = (await plane.call('GET', '/v1/checks')).body
  await plane.call('DELETE', `/v1/checks/${second.id}`)
  await place.write({
    'watchpost.yaml': `{ checks: { a: { checkType: TCP, name: a, request: { hostname: shop.example, port: 1 } }, b: ${urlCheck('b')} } }`,
  })
  const applied = await place.run('apply', '--json')
  t.match(applied.json, { created: 1, replaced: 1, failed: 0 }, applied.stderr)
  const checks = (await plane.call('GET', '/v1/checks')).body as { id: string; checkType: string }[]
  t.strictSame(checks.map(({ checkType }) => checkType).toSorted(), ['TCP', 'URL'])
  t.notOk(checks.some(({ id }) => id === first.id || id === second.id))
  t.equal((await place.run('plan', '--detailed-exitcode')).exitCode, 0)
})

eachEngine(
  'what is there is taken over with --adopt; two projects never have the same resource',
  async (t, plane) => {
    const place = await workplaceOf(t, plane)
    const there = await plane.call('POST', '/v1/variables', {
      body: { key: 'SHOP_URL', value: 'https://a.example' },
    })
    t.equal(there.status, 201)
    const file = (project: string) =>
      `{ project: ${project}, variables: { SHOP_URL: { value: "https://b.example" } } }`
    await place.write({ 'one.yaml': file('one'), 'two.yaml': file('two') })
    const refused = await place.run('apply', 'one.yaml')
    t.equal(refused.exitCode, 1)
    t.match(refused.stderr, 'variable.SHOP_URL failed: A variable with this key exists already')
    t.match((await place.run('plan', 'one.yaml', '--adopt')).stdout, 'it is there already')
    t.equal((await place.run('apply', 'one.yaml', '--adopt')).exitCode, 0)
    t.equal((await plane.call('GET', '/v1/variables/SHOP_URL')).body.value, 'https://b.example')
    t.equal((await place.run('apply', 'two.yaml', '--adopt')).exitCode, 1, 'it is the first project’s')
  },
)

eachEngine('an apply that was cut off is gone on with: nothing is made twice', async (t, plane) => {
  const place = await workplaceOf(t, plane)
  await place.write({ 'watchpost.yaml': `{ checks: { a: ${urlCheck('a')}, b: ${urlCheck('b')} } }` })
  // As a process leaves it that dies between making a check and writing whose it is.
  const row = {
    account_id: plane.accountId,
    project: 'default',
    kind: 'check',
    resource_id: null,
    signature: '',
  }
  for (const key of ['a', 'b'])
    await plane.app.db.run(insertKey, {
      ...row,
      key,
      resource_updated_at: null,
      begun_at: plane.app.clock.now(),
    })
  await plane.call('POST', '/v1/checks/url', {
    body: { name: 'a', request: { url: 'https://shop.example/a' } },
  })
  const applied = await place.run('apply', '--json')
  t.match(applied.json, { created: 1, changed: 1, failed: 0 }, applied.stderr)
  t.equal((await plane.call('GET', '/v1/checks')).body.length, 2)
  t.equal((await place.run('plan', '--detailed-exitcode')).exitCode, 0)
})

onSqlite('mistakes are told all at once, before anything is made', async (t, plane) => {
  const place = await workplaceOf(t, plane)
  await place.write({
    'watchpost.yaml': [
      'checks:',
      `  a: { checkType: URL, name: a, request: { url: "ftp://a" }, groupId: "\${group.gone}" }`,
      '  b: { checkType: NONE, name: b }',
      `variables: { A: { value: "\${env.NOT_THERE}" } }`,
      'sections: {}',
    ].join('\n'),
  })
  const first = await place.run('validate')
  t.equal(first.exitCode, 1)
  for (const problem of [
    'NOT_THERE is not in the environment',
    'no section "sections"',
    'no group with the key gone',
  ])
    t.match(first.stderr, problem)
  await place.write({
    'watchpost.yaml':
      'checks:\n  a: { checkType: URL, name: a, request: { url: "ftp://a" } }\n  b: { checkType: NONE, name: b }\n  c: { checkType: TCP, nam: c }\n',
  })
  const second = await place.run('apply', '--json')
  t.equal(second.exitCode, 1)
  t.match(second.json.problems.join('\n'), '"request.url" must match')
  t.match(second.json.problems.join('\n'), '"checkType" must be one of')
  t.match(second.json.problems.join('\n'), '"nam" is not a known field')
  t.equal((await plane.call('GET', '/v1/checks')).body.length, 0)
})

onSqlite('a reader plans and may not apply; files in TypeScript say the same', async (t, plane) => {
  const { apiKey } = await plane.addKey({ accountId: plane.accountId, role: 'READ_ONLY' })
  const reader = await workplaceOf(t, { ...plane, apiKey })
  const script = `const name: string = 'a'; export default { checks: { a: { checkType: 'URL', name, request: { url: 'https://shop.example' } } } }`
  await reader.write({ 'watchpost.ts': script })
  t.match((await reader.run('plan')).stdout, '1 to create')
  const refused = await reader.run('apply')
  t.equal(refused.exitCode, 1)
  t.match(refused.stderr, '/v1/code/default/changes answered 403')

  const { apiKey: writes } = await plane.addKey({ accountId: plane.accountId, role: 'READ_WRITE' })
  const writer = await workplaceOf(t, { ...plane, apiKey: writes })
  await writer.write({
    'watchpost.yaml': `{ locations: { office: { name: Office, slugName: office } }, checks: { a: ${urlCheck('a', `, privateLocations: ["\${location.office}"]`)}, b: ${urlCheck('b')} } }`,
  })
  const part = await writer.run('apply', '--json')
  t.equal(part.exitCode, 1)
  t.match(part.json, { created: 1, failed: 2 }, 'locations are for administrators')
  t.match(part.stderr, 'check.a failed: needs location.office, which is not there')
  t.equal((await plane.call('GET', '/v1/checks')).body.length, 1, 'nothing is made in a half')
})
