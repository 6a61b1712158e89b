import t from 'tap'
import { checkKinds } from '../../../../control-plane/monitoring/definitions/checks/types/index.ts'
import { sweepTick } from '../../../../control-plane/monitoring/runs/sweep.ts'
import { agentPaths, type ClaimRequest } from '../../../../protocol/agent-api.ts'
import { ApiSpec } from '../../../../protocol/checks/api.ts'
import { DnsSpec } from '../../../../protocol/checks/dns.ts'
import { IcmpSpec } from '../../../../protocol/checks/icmp.ts'
import { TcpSpec } from '../../../../protocol/checks/tcp.ts'
import { UrlSpec } from '../../../../protocol/checks/url.ts'
import type { Job } from '../../../../protocol/job.ts'
import { runtimeIds } from '../../../../protocol/runtime.ts'
import { compile } from '../../../../protocol/validate.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { claimRequest } from '../../../support/engine-room.ts'

const types = Object.values(checkKinds).map(({ type }) => type)

/** What an agent that can do everything is given. */
const claim = async ({ call, agentKey }: TestApp): Promise<Job[]> => {
  const body = claimRequest({ checkTypes: types, runtimeIds: [...runtimeIds], maxMain: 100 })
  const answer = await call('POST', agentPaths.claim, { key: agentKey, body })
  return answer.body.jobs
}

const variablesOf = ({ variables }: Job) =>
  Object.fromEntries(variables.map(({ key, value, secret }) => [key, secret ? `secret ${value}` : value]))

for (const engine of engineNames) {
  t.test(`an API job: the group’s settings merged in, scripts in their order (${engine})`, async (t) => {
    const app = await testApp(t, { engine })
    const { call } = app
    const snippet = async (script: string) =>
      (await call('POST', '/v1/snippets', { body: { name: script, script } })).body.id
    const group = await call('POST', '/v2/check-groups', {
      body: {
        name: 'shop',
        setupSnippetId: await snippet('group snippet'),
        localTearDownScript: 'group teardown',
        apiCheckDefaults: {
          url: 'https://shop.example.com',
          headers: [
            { key: 'accept', value: 'text/plain' },
            { key: 'x-token', value: 'hidden', locked: true },
          ],
          queryParameters: [{ key: 'lang', value: 'en' }],
          assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
          basicAuth: { username: 'u', password: 'group password' },
        },
      },
    })
    await call('POST', '/v1/checks/api', {
      body: {
        name: 'orders',
        groupId: group.body.id,
        privateLocations: ['local'],
        shouldFail: true,
        setupSnippetId: await snippet('check snippet'),
        localSetupScript: 'check setup',
        tearDownSnippetId: await snippet('check teardown'),
        request: {
          method: 'GET',
          url: '{{GROUP_BASE_URL}}/orders',
          headers: [{ key: 'Accept', value: 'application/json' }],
          assertions: [{ source: 'JSON_BODY', property: '$.id', comparison: 'NOT_NULL' }],
        },
      },
    })
    const [job] = await claim(app)
    t.ok(compile(ApiSpec)(structuredClone(job?.spec)).ok, 'it is what the protocol says')
    t.match(job?.spec, {
      shouldFail: true,
      setupScripts: [
        { name: 'the snippet "group snippet"', code: 'group snippet' },
        { name: 'the snippet "check snippet"', code: 'check snippet' },
        { name: 'the setup script of the check', code: 'check setup' },
      ],
      tearDownScripts: [
        { name: 'the snippet "check teardown"', code: 'check teardown' },
        { name: 'the teardown script of the group', code: 'group teardown' },
      ],
      request: {
        url: '{{GROUP_BASE_URL}}/orders',
        headers: [
          { key: 'x-token', value: 'hidden' },
          { key: 'Accept', value: 'application/json' },
        ],
        queryParameters: [{ key: 'lang', value: 'en' }],
        assertions: [{ source: 'JSON_BODY' }, { source: 'STATUS_CODE' }],
        basicAuth: { username: 'u', password: 'group password' },
      },
    })
    t.match(job, {
      runtimeId: runtimeIds[0],
      variables: [{ key: 'GROUP_BASE_URL', value: 'https://shop.example.com' }],
    })
  })

  t.test(
    `variables: check over group over account, in clear, secret and locked ones marked (${engine})`,
    async (t) => {
      const app = await testApp(t, { engine })
      const { call } = app
      const secret = (key: string, value: string) => ({ key, value, secret: true })
      for (const body of [
        { key: 'A', value: 'account' },
        { key: 'B', value: 'account' },
        secret('C', 'account'),
      ])
        t.equal((await call('POST', '/v1/variables', { body })).status, 201)
      const { id } = (
        await call('POST', '/v2/check-groups', {
          body: { name: 'g', environmentVariables: [{ key: 'B', value: 'group' }, secret('D', 'group')] },
        })
      ).body
      const environmentVariables = [secret('A', 'check'), { key: 'E', value: 'check', locked: true }]
      const body = { name: 'x', script: 's', groupId: id, environmentVariables, privateLocations: ['local'] }
      t.equal((await call('POST', '/v1/checks/multistep', { body })).status, 201)
      const [job] = await claim(app)
      t.strictSame(variablesOf(job as Job), {
        GROUP_BASE_URL: '',
        A: 'secret check',
        B: 'group',
        C: 'secret account',
        D: 'secret group',
        E: 'secret check',
      })
    },
  )

  t.test(`scripts of Playwright are for agents that have it in their runtime (${engine})`, async (t) => {
    const { call, app, advance, agentKey } = await testApp(t, { engine })
    const where = { privateLocations: ['local'], runtimeId: '2026.04' }
    const script = { script: 's', ...where }
    await call('POST', '/v1/checks/browser', { body: { name: 'browser', ...script } })
    await call('POST', '/v1/checks/multistep', { body: { name: 'steps', ...script } })
    const request = { method: 'GET', url: 'https://example.com/' }
    await call('POST', '/v1/checks/api', { body: { name: 'api', request, localSetupScript: '1', ...where } })
    const claimed = async (playwrightRuntimeIds?: ClaimRequest['playwrightRuntimeIds']) => {
      const offer = { checkTypes: ['API', 'BROWSER', 'MULTI_STEP'], maxMain: 10, agentId: 'one', fresh: true }
      const body = { ...claimRequest({ runtimeIds: ['2026.04', '2025.04'] }), ...offer }
      const some = playwrightRuntimeIds === undefined ? {} : { playwrightRuntimeIds }
      const answer = await call('POST', agentPaths.claim, { key: agentKey, body: { ...body, ...some } })
      return answer.body.jobs.map(({ checkName }: Job) => checkName).toSorted()
    }
    t.same(await claimed(), ['api', 'browser', 'steps'], 'an agent that does not say so has it everywhere')
    t.same(await claimed(['2025.04']), ['api'])
    t.same(await claimed(['2026.04', '2025.04']), ['api', 'browser', 'steps'])
    advance(61 * 60_000)
    t.same(await claimed(['2025.04']), [], 'it is too late for all')
    await sweepTick(app)
    const missed = await app.db.select((k) => k.selectFrom('missed_runs').select(['reason', 'detail']))
    const withoutIt = missed.filter(({ reason }) => reason === 'NO_AGENT').map(({ detail }) => detail)
    t.ok(withoutIt.length >= 2)
    for (const detail of withoutIt)
      t.match(
        detail,
        /^No agent in location "local" offers the runtime 2026\.04\. Choose one that they have \(2025\.04\)/,
      )
  })

  t.test(`runs of a type or runtime that no agent offers are missed, and say why (${engine})`, async (t) => {
    const { call, app, advance, agentKey } = await testApp(t, { engine })
    const where = { privateLocations: ['local'] }
    const script = { script: 's', ...where }
    await call('POST', '/v1/checks/multistep', { body: { name: 'type', ...script } })
    await call('POST', '/v1/checks/browser', { body: { name: 'runtime', ...script, runtimeId: '2024.02' } })
    await call('POST', '/v1/checks/agentic', { body: { name: 'agentic', prompt: 'p', ...where } })
    await call('POST', '/v1/checks/playwright', {
      body: { ...checkKinds.PLAYWRIGHT.example, ...where, locations: [] },
    })
    advance(61 * 60_000)
    await call('POST', agentPaths.claim, {
      key: agentKey,
      body: claimRequest({ checkTypes: ['URL', 'BROWSER'], runtimeIds: ['2025.04', '2026.04'] }),
    })
    await sweepTick(app)
    const missed = await app.db.select((k) => k.selectFrom('missed_runs').select(['reason', 'detail']))
    t.strictSame(missed.map(({ reason, detail }) => `${reason} ${detail}`).sort(), [
      'NO_AGENT No agent in location "local" offers the runtime 2024.02. Choose one that they have (2026.04, 2025.04) as ' +
        'the runtimeId of the check, its group or the account, or start an agent that has it.',
      'NO_AGENT No agent in location "local" runs checks of type Agentic check.',
      'NO_AGENT No agent in location "local" runs checks of type Multi-step check.',
      'NO_AGENT No agent in location "local" runs checks of type Playwright check suite.',
    ])
  })
}

t.test('the spec of every type that has one in the protocol is what the protocol says', async (t) => {
  const app = await testApp(t)
  const specs = { URL: UrlSpec, API: ApiSpec, TCP: TcpSpec, DNS: DnsSpec, ICMP: IcmpSpec }
  for (const [type, schema] of Object.entries(specs)) {
    const kind = checkKinds[type as keyof typeof specs]
    const body = { ...kind.example, locations: [], privateLocations: ['local'] }
    t.equal((await app.call('POST', `/v1/checks/${kind.path}`, { body })).status, 201)
    const [job] = await claim(app)
    const checked = compile(schema)(structuredClone(job?.spec))
    t.strictSame(checked.ok ? [] : checked.violations, [], type)
    t.strictSame(job?.variables, [], `${type}: nothing secret goes where nothing needs it`)
  }
})

t.test('older names of a TCP request mean the same', async (t) => {
  const app = await testApp(t)
  const request = { url: 'db.example.com', port: 1, body: 'PING' }
  await app.call('POST', '/v1/checks/tcp', { body: { name: 'x', request, privateLocations: ['local'] } })
  const [job] = await claim(app)
  t.match(job?.spec, { request: { hostname: 'db.example.com', data: 'PING' } })
})

t.test('the runtime is the check’s, else the group’s, else the account’s', async (t) => {
  const app = await testApp(t)
  const { call, accountId } = app
  const group = (await call('POST', '/v2/check-groups', { body: { name: 'g', runtimeId: '2024.09' } })).body
  const cases: Array<[string, Record<string, unknown>, string | null]> = [
    ['browser', { script: '', groupId: group.id, runtimeId: '2023.09' }, '2023.09'],
    ['browser', { script: '', groupId: group.id }, '2024.09'],
    ['browser', { script: '' }, '2025.04'],
    ['multistep', { script: '' }, '2025.04'],
    ['url', { request: { url: 'https://example.com' }, groupId: group.id, runtimeId: '2023.09' }, null],
    ['api', { request: { method: 'GET', url: 'https://example.com' }, runtimeId: '2023.09' }, null],
    ['api', { request: { method: 'GET', url: 'https://example.com' }, localSetupScript: 'a()' }, '2025.04'],
    ['playwright', { files: checkKinds.PLAYWRIGHT.example['files'], runtimeId: '2023.09' }, null],
  ]
  await call('PATCH', '/v1/accounts/me', { body: { runtimeId: '2025.04' } })
  t.equal((await call('GET', `/v1/accounts/${accountId}`)).body.runtimeId, '2025.04')
  for (const [path, fields, expected] of cases) {
    const body = { name: 'x', ...fields, privateLocations: ['local'] }
    const created = await call('POST', `/v1/checks/${path}`, { body })
    t.equal(created.status, 201, created.text)
    const [job] = await claim(app)
    t.equal(job?.runtimeId, expected, `${path} ${JSON.stringify(fields)}`)
  }
})

t.test('another runtime of the account moves the checks that choose none', async (t) => {
  const { call, app } = await testApp(t)
  const add = async (fields: object) =>
    (
      await call('POST', '/v1/checks/browser', {
        body: { name: 'x', script: '', locations: ['eu-west-1'], ...fields },
      })
    ).body.id as string
  const group = (await call('POST', '/v2/check-groups', { body: { name: 'g', runtimeId: '2026.04' } })).body
  const moves = await add({})
  const chose = await add({ runtimeId: '2026.04' })
  const grouped = await add({ groupId: group.id })
  await call('PATCH', '/v1/accounts/me', { body: { runtimeId: '2025.04' } })
  const rows = await app.db.select((k) => k.selectFrom('schedules').select(['check_id', 'runtime_id']))
  t.strictSame(Object.fromEntries(rows.map((row) => [row.check_id, row.runtime_id])), {
    [moves]: '2025.04',
    [chose]: '2026.04',
    [grouped]: '2026.04',
  })
})
