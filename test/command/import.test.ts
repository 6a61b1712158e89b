// Runs in test:all only: imported checks wait for their runs by a real agent.
/** What other programs watch is imported, applied, and run by a real agent; what could not be carried over is told. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { testApp } from '../support/app.ts'
import { workplaceOf } from '../support/command-program.ts'
import { journeyPrograms } from '../support/journey-programs.ts'
import { apiKey } from '../support/programs.ts'
import { answering } from '../support/servers.ts'

const body = '{"status":"UP","items":[1]}'
const page = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`

const kumaOf = (port: number) => ({
  version: '1.23.16',
  notificationList: [
    { id: 1, name: 'Mail', config: '{"type":"smtp","smtpTo":"ops@shop.example"}', isDefault: true },
    {
      id: 2,
      name: 'Chat',
      config: '{"type":"discord","discordWebhookUrl":"https://discord.example/secret"}',
    },
    { id: 3, name: 'Phone', config: '{"type":"gotify"}' },
  ],
  monitorList: [
    { id: 1, name: 'Shop', type: 'group', active: 1, tags: [] },
    {
      ...{
        id: 2,
        name: 'Home',
        type: 'http',
        active: 1,
        parent: 1,
        url: `http://127.0.0.1:${port}/`,
        method: 'GET',
      },
      ...{
        interval: 60,
        maxretries: 1,
        retryInterval: 20,
        timeout: 10,
        accepted_statuscodes: ['200-299'],
        maxredirects: 10,
      },
      ...{ tags: [{ tag_id: 1, name: 'team', value: 'shop' }], notificationIDList: { 1: true, 2: true } },
    },
    {
      id: 3,
      name: 'Word',
      type: 'keyword',
      active: 1,
      url: `http://127.0.0.1:${port}/`,
      method: 'GET',
      keyword: 'UP',
      interval: 45,
      tags: [],
    },
    {
      id: 4,
      name: 'Path',
      type: 'json-query',
      active: 1,
      url: `http://127.0.0.1:${port}/`,
      jsonPath: 'status',
      expectedValue: 'UP',
      interval: 300,
      tags: [],
    },
    { id: 5, name: 'Port', type: 'port', active: 1, hostname: '127.0.0.1', port, interval: 60, tags: [] },
    { id: 6, name: 'Job', type: 'push', active: 1, interval: 3600, tags: [] },
    { id: 7, name: 'Paused', type: 'ping', active: 0, hostname: '127.0.0.1', interval: 60, tags: [] },
    { id: 8, name: 'Container', type: 'docker', active: 1, interval: 60, tags: [] },
  ],
})

const gatusOf = (port: number) => `
alerting:
  slack: { webhook-url: "https://slack.example/secret" }
  telegram: { token: secret, id: "1" }
endpoints:
  - name: front
    group: shop
    url: "http://127.0.0.1:${port}/"
    interval: 1m
    conditions: ["[STATUS] == 200", "[BODY].status == UP", "[RESPONSE_TIME] <= 3000", "[BODY] == pat(*items*)", "[CERTIFICATE_EXPIRATION] > 48h"]
    alerts: [{ type: slack, failure-threshold: 2 }]
  - { name: port, url: "tcp://127.0.0.1:${port}", interval: 30s, conditions: ["[CONNECTED] == true"] }
  - { name: echo, url: "ws://127.0.0.1/", conditions: ["[CONNECTED] == true"] }
external-endpoints:
  - { name: nightly, group: shop, token: secret, heartbeat: { interval: 24h } }
`

const running = async (t: Test) => {
  const { url } = await journeyPrograms(t, { browsers: false })
  const { port } = await answering(t, page)
  return { url, port, apiKey }
}

t.test('monitors of Uptime Kuma are imported from its backup, and run', async (t) => {
  const { port, ...plane } = await running(t)
  const place = await workplaceOf(t, { ...plane, env: { CHAT_URL: 'https://discord.example/secret' } })
  await place.write({ 'kuma.json': JSON.stringify(kumaOf(port)) })
  const imported = await place.run('import', 'kuma', 'kuma.json', '--out', 'watchpost.yaml', '--json')
  t.match(imported.json.counts, { group: 1, check: 6, channel: 2 })
  const notes = imported.json.notes.join('\n')
  for (const told of [
    'Container: there is no check of the type docker',
    'notification Phone: there is no channel like gotify',
    'Word: runs every 30 s instead of every 45 s',
  ])
    t.match(notes, told)
  const applied = await place.run('apply', '--json')
  t.match(applied.json, { created: 9, failed: 0 }, applied.stderr)
  t.equal((await place.run('plan', '--detailed-exitcode')).exitCode, 0)
  const ran = await place.run('run', '--all', '--json')
  t.equal(ran.exitCode, 0, ran.stderr)
  const names = ran.json.checks.map(({ name }: { name: string }) => name).toSorted()
  t.strictSame(names, ['Home', 'Path', 'Port', 'Word'])
})

t.test('endpoints of Gatus are imported from its configuration, and run', async (t) => {
  const { port, ...plane } = await running(t)
  const place = await workplaceOf(t, { ...plane, env: { GATUS_SLACK_URL: 'https://slack.example/secret' } })
  await place.write({ 'config.yaml': gatusOf(port) })
  const imported = await place.run('import', 'gatus', 'config.yaml', '--out', 'watchpost.yaml', '--json')
  t.match(imported.json.counts, { group: 1, check: 3, channel: 1 })
  const notes = imported.json.notes.join('\n')
  for (const told of ['CERTIFICATE_EXPIRATION', 'alerting.telegram', 'there is no check of ws://'])
    t.match(notes, told)
  const applied = await place.run('apply', '--json')
  t.match(applied.json, { created: 5, failed: 0 }, applied.stderr)
  t.equal((await place.run('plan', '--detailed-exitcode')).exitCode, 0)
  const ran = await place.run('run', '--all', '--json')
  t.equal(ran.exitCode, 0, ran.stderr)
  t.strictSame(ran.json.checks.map(({ name }: { name: string }) => name).toSorted(), ['front', 'port'])
})

/** As version 1 and 2 of Kuma make them, of what is read. */
const kumaTables = `
create table monitor (id integer primary key, name text, active boolean, interval integer, url text, type text, hostname text,
  port integer, keyword text, maxretries integer, ignore_tls boolean, upside_down boolean, maxredirects integer,
  accepted_statuscodes_json text, retry_interval integer, method text, headers text, basic_auth_user text, basic_auth_pass text,
  parent integer, description text, timeout double);
create table tag (id integer primary key, name text, color text);
create table monitor_tag (id integer primary key, monitor_id integer, tag_id integer, value text);
create table notification (id integer primary key, name text, config text, is_default boolean);
create table monitor_notification (id integer primary key, monitor_id integer, notification_id integer);
create table status_page (id integer primary key, slug text);
insert into tag values (1, 'prod', '#fff');
insert into notification values (1, 'Mail', '{"type":"smtp","smtpTo":"a@shop.example"}', 1);
insert into monitor_tag values (1, 1, 1, '');
insert into monitor_notification values (1, 1, 1);
insert into status_page values (1, 'public');
insert into monitor (id, name, active, interval, url, type, ignore_tls, maxredirects, accepted_statuscodes_json, method, headers, basic_auth_user)
  values (1, 'Home', 1, 60, 'https://shop.example/', 'http', 1, 0, '["200","201"]', 'POST', '{"authorization":"Bearer secret","x-a":"b"}', 'shop');
`

t.test('the database of Uptime Kuma says the same as its backup', async (t) => {
  const place = await workplaceOf(t, { url: 'http://127.0.0.1:1', apiKey })
  const database = new DatabaseSync(join(place.folder, 'kuma.db'))
  database.exec(kumaTables)
  database.close()
  const { stdout, stderr } = await place.run('import', 'kuma', 'kuma.db', '--location', 'office')
  t.match(stderr, '1 status pages: their pages show monitors, ours services')
  t.notMatch(stdout, 'Bearer secret', 'secrets are not written')
  t.match(parse(stdout), {
    channels: { Mail: { type: 'EMAIL', config: { address: 'a@shop.example' }, autoSubscribe: true } },
    checks: {
      Home: {
        checkType: 'API',
        tags: ['prod'],
        privateLocations: ['office'],
        alertChannelSubscriptions: [{ alertChannelId: `\${channel.Mail}` }],
        request: {
          method: 'POST',
          skipSSL: true,
          followRedirects: false,
          headers: [
            { key: 'authorization', value: `\${env.HOME_AUTHORIZATION}`, locked: true },
            { key: 'x-a', value: 'b' },
          ],
          basicAuth: { username: 'shop', password: `\${env.HOME_PASSWORD}` },
          assertions: [
            { source: 'STATUS_CODE', comparison: 'GREATER_THAN', target: '199' },
            { source: 'STATUS_CODE', comparison: 'LESS_THAN', target: '202' },
          ],
        },
      },
    },
  })
})

const blackbox = `
modules:
  http_2xx: { prober: http, timeout: 5s, http: { valid_status_codes: [200, 204], fail_if_body_not_matches_regexp: ["ok"] } }
  tcp_connect: { prober: tcp }
  dns_a: { prober: dns, dns: { query_name: shop.example, query_type: A } }
  grpc: { prober: grpc }
`
const prometheus = `
global: { scrape_interval: 30s }
scrape_configs:
  - job_name: node
    static_configs: [{ targets: ["a:9100"] }]
  - job_name: pages
    metrics_path: /probe
    params: { module: [http_2xx] }
    static_configs: [{ targets: ["https://shop.example/", "other.example"], labels: { team: shop } }]
    file_sd_configs: [{ files: ["targets.yml"] }]
  - { job_name: ports, metrics_path: /probe, scrape_interval: 1m, params: { module: [tcp_connect] }, static_configs: [{ targets: ["db.example:5432"] }] }
  - { job_name: names, metrics_path: /probe, params: { module: [dns_a] }, static_configs: [{ targets: ["192.0.2.1:5353"] }] }
`
const robot = {
  stat: 'ok',
  monitors: [
    {
      id: 1,
      friendly_name: 'Home',
      url: 'https://shop.example/',
      type: 1,
      interval: 300,
      status: 2,
      http_method: 2,
    },
    {
      id: 2,
      friendly_name: 'Word',
      url: 'https://shop.example/',
      type: 2,
      interval: 300,
      status: 0,
      keyword_type: 2,
      keyword_value: 'ok',
    },
    { id: 3, friendly_name: 'Ping', url: 'shop.example', type: 3, interval: 300, status: 2 },
    {
      id: 4,
      friendly_name: 'Mail',
      url: 'shop.example',
      type: 4,
      sub_type: 4,
      port: '',
      interval: 60,
      status: 2,
    },
    { id: 5, friendly_name: 'Job', type: 5, interval: 86400, status: 2 },
    { id: 6, friendly_name: 'New', type: 9, interval: 60, status: 2 },
  ],
}

t.test(
  'what the blackbox exporter and UptimeRobot watch is imported, and the control plane takes it',
  async (t) => {
    const plane = await testApp(t)
    const place = await workplaceOf(t, plane)
    await place.write({
      'blackbox.yml': blackbox,
      'prometheus.yml': prometheus,
      'robot.json': JSON.stringify(robot),
    })
    const words = [
      'blackbox.yml',
      '--prometheus',
      'prometheus.yml',
      '--out',
      'blackbox.yaml',
      '--project',
      'blackbox',
    ]
    const probes = await place.run('import', 'blackbox', ...words, '--json')
    t.match(probes.json.counts, { check: 4 })
    t.match(probes.json.notes.join('\n'), 'targets of file_sd_configs are found while Prometheus runs')
    t.match(probes.json.notes.join('\n'), 'module grpc: nothing is probed with it')
    const monitors = await place.run(
      'import',
      'uptimerobot',
      'robot.json',
      '--out',
      'robot.yaml',
      '--project',
      'robot',
      '--json',
    )
    t.match(monitors.json.counts, { check: 5 })
    t.match(monitors.json.notes.join('\n'), 'New: there is no check of its type (9)')
    for (const [file, count] of [
      ['blackbox.yaml', 4],
      ['robot.yaml', 5],
    ] as const) {
      const applied = await place.run('apply', file, '--json')
      t.match(applied.json, { created: count, failed: 0 }, applied.stderr)
      t.equal((await place.run('plan', file, '--detailed-exitcode')).exitCode, 0)
    }
    const [check] = (await plane.call('GET', '/v1/checks?search=other.example')).body
    t.match(check, {
      checkType: 'API',
      frequency: 0,
      frequencyOffset: 30,
      tags: ['pages', 'team:shop'],
      privateLocations: ['local'],
    })
  },
)

t.test('a service with the same API is imported with a key of its own', async (t) => {
  const theirs = await testApp(t)
  const plane = await testApp(t)
  const made = { name: 'Home', request: { url: 'https://shop.example/' } }
  t.equal((await theirs.call('POST', '/v1/checks/url', { body: made })).status, 201)
  const env = { IMPORT_API_KEY: theirs.apiKey, IMPORT_ACCOUNT_ID: theirs.accountId }
  const place = await workplaceOf(t, { ...plane, env })
  const { stdout } = await place.run('import', 'api', theirs.url)
  t.match(parse(stdout), {
    checks: { Home: { checkType: 'URL', request: { url: 'https://shop.example/' } } },
  })
  const nothing = await place.run('import', 'gatus', 'gone.yaml')
  t.match(
    { exitCode: nothing.exitCode, stderr: nothing.stderr },
    { exitCode: 1, stderr: 'gone.yaml is not there' },
  )
})
