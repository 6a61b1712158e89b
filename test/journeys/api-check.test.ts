import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { type CheckResult, CheckResultPage } from '../../control-plane/check-results/schema.ts'
import { compile } from '../../protocol/validate.ts'
import { callApi } from '../support/api.ts'
import { createCanaries } from '../support/canaries.ts'
import { endsWith, listening, scratchFolder, spawnAgent, spawnControlPlane } from '../support/programs.ts'
import { httpServer } from '../support/servers.ts'

type Page = { length: number; entries: CheckResult[] }

const validatePage = compile(CheckResultPage)

t.test(
  'an API check sends what its group and its variables say, and its result keeps their secrets',
  async (t) => {
    const seen: string[] = []
    const target = await httpServer(t, (request, response) => {
      request.on('data', (part: Buffer) => seen.push(`${request.method} ${request.url} ${part}`))
      request.on('end', () => {
        const all = JSON.stringify({ orders: [{ id: 1 }, { id: 2 }], echo: [request.headers, seen] })
        response.setHeader('content-type', 'application/json').end(all)
      })
    })
    const canaries = createCanaries()
    const folder = await scratchFolder(t)
    const { url } = await listening(endsWith(t, spawnControlPlane({ dataDir: `${folder}/data` })))
    const agent = endsWith(t, spawnAgent({ url, spoolDir: `${folder}/spool` }))
    await agent.line(/connected to the control plane/)
    const create = async (path: string, body: object): Promise<string> => {
      const created = await callApi<{ id: string }>(url, path, { method: 'POST', body })
      t.equal(created.status, 201, JSON.stringify(created.body))
      return created.body.id
    }

    const token = canaries.plant('secret variable')
    await create('/v1/variables', { key: 'TOKEN', value: token, secret: true })
    await create('/v1/variables', { key: 'LOCKED', value: canaries.plant('locked variable'), locked: true })
    const groupId = await create('/v2/check-groups', {
      name: 'shop',
      apiCheckDefaults: {
        url: target.origin,
        headers: [{ key: 'x-token', value: 'Bearer {{{TOKEN}}}' }],
        basicAuth: { username: 'me', password: canaries.plant('password') },
      },
    })
    const id = await create('/v1/checks/api', {
      name: 'orders',
      groupId,
      privateLocations: ['local'],
      locations: [],
      frequency: 10,
      request: {
        method: 'POST',
        url: '{{GROUP_BASE_URL}}/orders',
        bodyType: 'GRAPHQL',
        body: '{ orders(locked: "{{LOCKED}}") { id } }',
        queryParameters: [
          { key: 'page', value: '1' },
          { key: 'key', value: canaries.plant('locked parameter'), locked: true },
        ],
        assertions: [
          { source: 'JSON_BODY', property: '$.orders.length', comparison: 'EQUALS', target: '2' },
          { source: 'JSON_BODY', property: '$.orders[*].id', comparison: 'GREATER_THAN', target: '0' },
          { source: 'TEXT_BODY', property: '("x-token":"[^"]*")', comparison: 'CONTAINS', target: 'Bearer' },
        ],
      },
    })
    let page: Page = { length: 0, entries: [] }
    const until = performance.now() + 10_000
    while (page.length === 0 && performance.now() < until) {
      await sleep(20)
      page = (await callApi<Page>(url, `/v2/check-results/${id}`)).body
    }
    t.ok(validatePage(structuredClone(page)).ok)
    t.match(page.entries[0], {
      checkType: 'API',
      hasFailures: false,
      hasErrors: false,
      error: null,
      apiCheckResult: {
        assertions: [
          { passed: true, actual: 2 },
          { passed: true, actual: '[1,2]' },
          { passed: true, actual: '"x-token":"Bearer [secret]"' },
        ],
        request: { method: 'POST', headers: { Authorization: '[secret]', 'x-token': 'Bearer [secret]' } },
        response: { status: 200 },
        requestError: null,
      },
    })
    t.equal(seen.length, 1)
    t.match(seen[0], /^POST \/orders\?page=1&key=canary\w+ \{"query":"\{ orders\(locked: \\"canary/)
    t.same(canaries.find(Buffer.from(JSON.stringify(page))), [], 'no secret is in the result')
  },
)
