// Runs in test:all only: it starts both programs again and again.
/**
 * The recipe for a check type in CONTRIBUTING.md, followed to the letter in a copy of the sources: three files and a line
 * in each of three lists. Both programs are then started from the copy, and a check of the new type is created, run, shown,
 * measured, alerted on and analysed; exporter, probes and dashboard know it, too.
 */

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { callApi } from '../support/api.ts'
import { addMadeUpType } from '../support/made-up-type.ts'
import {
  accountId,
  apiKey,
  endsWith,
  listening,
  scratchFolder,
  spawnAgent,
  spawnControlPlane,
} from '../support/programs.ts'
import { receiver } from '../support/receiver.ts'
import { closedPort } from '../support/servers.ts'
import { until } from '../support/until.ts'

const run = promisify(execFile)
const clone = fileURLToPath(new URL('../..', import.meta.url))
const copied = ['agent', 'control-plane', 'protocol', 'docs', 'package.json', 'tsconfig.json']
const here = { privateLocations: ['local'], locations: [], frequency: 0, frequencyOffset: 10 }

const token = 'probes-of-a-check-type'

/** The sources, with the packages of this clone. */
const copyOfSources = async (t: Test): Promise<string> => {
  const folder = await scratchFolder(t)
  // The page of the benchmarks is made from those, which are not copied.
  const filter = (path: string): boolean =>
    !/node_modules|(benchmarks(-page)?|quoted-figures)\.ts$/.test(path)
  for (const name of copied) await cp(join(clone, name), join(folder, name), { recursive: true, filter })
  for (const packages of ['node_modules', 'control-plane/node_modules'])
    if (existsSync(join(clone, packages))) await symlink(join(clone, packages), join(folder, packages))
  return folder
}

/** The paths that the recipe names. */
const recipe = async (type: string): Promise<string[]> => {
  const text = await readFile(join(clone, 'CONTRIBUTING.md'), 'utf8')
  const row = text.split('\n').find((line) => line.startsWith('| a **check type** |')) ?? ''
  return [...row.matchAll(/`((?:protocol|agent|control-plane)\/[^`]+)`/g)].map(([, path = '']) =>
    path.replace('<type>', type),
  )
}

t.test('three files and three lines make a check type', async (t) => {
  const root = await copyOfSources(t)
  const touched = await addMadeUpType(root)
  t.strictSame(touched.toSorted(), (await recipe('parity')).toSorted(), 'the recipe names what was touched')
  const tsc = ['node_modules/typescript/bin/tsc', '-p', '.', '--singleThreaded']
  const types = run(process.execPath, tsc, { cwd: root }).then(
    () => '',
    (error: { stdout?: string }) => error.stdout || String(error),
  )

  const hook = await receiver(t)
  const env = { EGRESS_ALLOWED_NETWORKS: '127.0.0.0/8' }
  const { url } = await listening(endsWith(t, spawnControlPlane({ root, dataDir: join(root, 'data'), env })))
  const healthPort = await closedPort()
  const probing = {
    AGENT_PROBE_TOKEN: token,
    AGENT_PROBE_TARGETS: '*',
    AGENT_HEALTH_PORT: String(healthPort),
  }
  const agent = endsWith(
    t,
    spawnAgent({ root, url, spoolDir: join(root, 'spool'), env: probing, browsers: false }),
  )
  await agent.line(/connected to the control plane/)
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
  const call = (path: string, method = 'GET', body?: object) => callApi<any>(url, path, { method, body })

  const template = '{ "title": "{{ALERT_TITLE}}", "type": "{{ALERT_TYPE}}", "page": "{{RESULT_LINK}}" }'
  const config = { name: 'hook', url: hook.origin, method: 'POST', template }
  const channel = await call('/v1/alert-channels', 'POST', { type: 'WEBHOOK', config })
  t.equal(channel.status, 201, JSON.stringify(channel.body))
  const even = await call('/v1/checks/parity', 'POST', { name: 'Even', number: 4, ...here })
  const odd = await call('/v1/checks/parity', 'POST', { name: 'Odd', number: 7, ...here })
  const idOf = ({ status, body }: { status: number; body: { id: string } }): string => {
    t.equal(status, 201, JSON.stringify(body))
    return body.id
  }
  const [evenId, oddId] = [idOf(even), idOf(odd)]

  await t.test('it is created and read like any other', async (t) => {
    t.match(odd.body, { checkType: 'PARITY', number: 7, frequency: 0, alertChannels: {} })
    t.notOk('warnings' in odd.body, 'there is an agent for it')
    t.match((await call('/v1/checks?checkType=PARITY')).body, [{ id: evenId }, { id: oddId }])
    const refused = await call('/v1/checks/parity', 'POST', { name: 'Half', number: 0.5 })
    t.match(refused, { status: 400, body: { attributes: { violations: [{ path: 'number' }] } } })
    const afar = await call('/v1/checks/parity', 'POST', { name: 'x', number: 4, locations: ['eu-west-1'] })
    t.match(afar.body.warnings, [{ location: 'eu-west-1', message: /^No agent serves/ }])
  })

  await t.test('it is run, judged and shown in results', async (t) => {
    const latest = async (id: string) => (await call(`/v2/check-results/${id}`)).body.entries[0]
    await until(
      'both have a result',
      async () => Boolean((await latest(evenId)) && (await latest(oddId))),
      200,
    )
    const parityCheckResult = (number: number, remainder: number) => ({ assertions: [], number, remainder })
    t.match(await latest(evenId), {
      checkType: 'PARITY',
      hasFailures: false,
      parityCheckResult: parityCheckResult(4, 0),
      apiCheckResult: null,
    })
    t.match(await latest(oddId), {
      hasFailures: true,
      hasErrors: false,
      error: 'The number 7 is odd.',
      parityCheckResult: parityCheckResult(7, 1),
    })
    t.match((await call(`/v1/check-statuses/${evenId}`)).body, { state: 'passing' })
    t.match((await call(`/v1/check-statuses/${oddId}`)).body, { state: 'failing' })
  })

  await t.test('it is measured in analytics', async (t) => {
    const { body } = await call(`/v1/analytics/parity-checks/${oddId}?metrics=remainder_max,availability`)
    t.match(body, {
      checkType: 'PARITY',
      series: [{ data: [{ remainder_max: 1, availability: 0 }] }],
      metadata: { remainder_max: { unit: 'count', label: 'What is left of a division by two (maximum)' } },
    })
    t.match((await call('/v1/analytics/metrics?checkType=PARITY')).body.at(3), { name: 'remainder' })
    const summaries = await call('/v1/analytics/checks', 'POST', { checkIds: [evenId] })
    t.match(summaries.body, [{ checkType: 'PARITY', availability: 100, responseTime_avg: 2 }])
  })

  await t.test('it is alerted on, and the link in the alert leads to its page', async (t) => {
    await until('the alert', () => hook.received.length > 0)
    const [alert] = hook.received
    t.match(alert?.json, { type: 'ALERT_FAILURE', title: /Odd/ })
    const page = await (await fetch(alert?.json.page)).text()
    for (const text of ['Parity check', 'The number 7 is odd.', 'Division by two', 'Remainder'])
      t.ok(page.includes(text), text)
  })

  await t.test('its failure is grouped and analysed', async (t) => {
    const [group] = (await call(`/v1/error-groups/checks/${oddId}`)).body
    const asked = await call(`/v1/root-cause-analyses/error-groups/${group.id}`, 'POST', {})
    t.equal(asked.status, 202)
    const read = () => call(`/v1/root-cause-analyses/${asked.body.id}`)
    await until('the analysis', async () => (await read()).status === 200)
    const { body } = await read()
    t.match(body, { checkType: 'PARITY', provider: 'builtin' })
    t.match(JSON.stringify(body.analysis), /The number 7 is odd/)
  })

  await t.test('its series are in the exporter of the account, and in the probes of the agent', async (t) => {
    const headers = { authorization: `Bearer ${apiKey}` }
    const scraped = async (): Promise<string> =>
      (await fetch(`${url}/accounts/${accountId}/v2/prometheus/metrics`, { headers })).text()
    // Runs are counted from the first scrape on.
    const counted = /^watchpost_parity_check_remainder_count\{name="Odd",.*type="left"\} [1-9]/m
    let text = ''
    const isCounted = async (): Promise<boolean> => {
      text = await scraped()
      return counted.test(text)
    }
    await until('a counted run', isCounted, 200)
    t.match(text, /^# TYPE watchpost_parity_check_remainder histogram$/m)
    t.match(text, /^probe_parity_remainder\{name="Odd",.*\} 1$/m)
    t.match(text, /^probe_parity_remainder\{name="Even",.*\} 0$/m)
    const probe = (query: Record<string, string>): Promise<Response> =>
      fetch(`http://127.0.0.1:${healthPort}/probe?${new URLSearchParams(query)}`, {
        headers: { authorization: `Bearer ${token}` },
      })
    const odd = await (await probe({ module: 'parity', target: '7' })).text()
    for (const line of [/^probe_success 0$/m, /^probe_parity_remainder 1$/m]) t.match(odd, line)
    t.match(await (await probe({ module: 'parity', target: '8' })).text(), /^probe_success 1$/m)
    const refused = await probe({ module: 'parity', target: 'seven' })
    t.equal(`${refused.status} ${await refused.text()}`, '400 target must be a number\n')
  })

  await t.test('the dashboard says what it is for, and shows it', async (t) => {
    const signedIn = await fetch(`${url}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: url, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ key: apiKey }),
    })
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    const page = async (path: string): Promise<string> =>
      (await fetch(url + path, { headers: { cookie } })).text()
    const kinds = await page('/app/checks/new')
    for (const words of ['Parity check', 'Is a number even?']) t.ok(kinds.includes(words), words)
    const own = await page(`/app/checks/${oddId}`)
    for (const words of ['Odd', 'Parity check']) t.ok(own.includes(words), words)
  })

  await t.test('OpenAPI and the page of the API know it, and its types hold', async (t) => {
    const { paths } = (await call('/openapi.json')).body
    for (const path of ['/v1/checks/parity', '/v1/checks/parity/{id}', '/v1/analytics/parity-checks/{id}'])
      t.ok(path in paths, path)
    await run(process.execPath, ['docs/generate-api.ts'], { cwd: root })
    t.match(await readFile(join(root, 'docs/api.md'), 'utf8'), /Create a parity check/)
    t.equal(await types, '')
  })
})
