import t from 'tap'
import { createCanaries } from '../support/canaries.ts'
import { firstResult } from '../support/first-result.ts'
import { journeyPrograms } from '../support/journey-programs.ts'
import { httpServer } from '../support/servers.ts'

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
    const { url, create } = await journeyPrograms(t, { browsers: false })

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
    const result = await firstResult(t, url, '/v1/checks/api', {
      name: 'orders',
      groupId,
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
    t.match(result, {
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
    t.same(canaries.find(Buffer.from(JSON.stringify(result))), [], 'no secret is in the result')
  },
)
