// Runs on both engines in test:all: statements about the keys of files run in no other file.
/** Files of every kind of resource: applied once they stay as they are, changes are told and made, and only what files made goes. */
import type { Test } from 'tap'
import { eachEngine, type TestApp } from '../support/app.ts'
import { workplaceOf } from '../support/command-program.ts'

const everything = `
project: shop
defaults:
  checks:
    privateLocations: [\${location.office}]
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
    privateLocations: [\${location.office}]
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
const script = '// `${env.NOT_OURS}` stays what it is\nconst total = `${1 + 1}`\n'

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
  const entries = (await plane.call('GET', '/v1/accounts/me/audit-log?limit=100')).body
  t.match(JSON.stringify(entries), '/v1/checks', 'each change is in the audit log under its own route')
})
