// Runs in test:all only: it starts a process for each of many scripts.
import { createHmac } from 'node:crypto'
import t from 'tap'
import type { CheckResult } from '../../control-plane/monitoring/results/schema.ts'
import { createCanaries } from '../support/canaries.ts'
import { firstResult } from '../support/first-result.ts'
import { journeyPrograms } from '../support/journey-programs.ts'
import { httpServer } from '../support/servers.ts'

t.test('scripts of group and check sign a request and mask its response', async (t) => {
  const seen: { signature: unknown; by: unknown; path: string | undefined }[] = []
  const target = await httpServer(t, (request, response) => {
    const { 'x-signature': signature, 'x-by': by } = request.headers
    seen.push({ signature, by, path: request.url })
    response.setHeader('content-type', 'application/json').end('{"orders":[1,2],"card":"4111 1111"}')
  })
  const canaries = createCanaries()
  const key = canaries.plant('signing key')
  const { url, create } = await journeyPrograms(t, { browsers: false })

  await create('/v1/variables', { key: 'SIGNING_KEY', value: key, secret: true })
  await create('/v1/snippets', {
    name: 'hmac',
    script:
      "exports.hmac = (key, text) => require('crypto').createHmac('sha256', key).update(text).digest('hex')",
  })
  await create('/v1/snippets', {
    name: 'sign',
    script:
      "const { hmac } = require('./hmac.js')\nexports.sign = (text) => hmac(process.env.SIGNING_KEY, text)",
  })
  const setupSnippetId = await create('/v1/snippets', {
    name: 'say who',
    script: "request.headers['x-by'] = process.env.CHECK_NAME\nconsole.log('by', process.env.CHECK_NAME)",
  })
  const groupId = await create('/v2/check-groups', {
    name: 'shop',
    setupSnippetId,
    localTearDownScript: "console.log('orders:', JSON.parse(response.body).orders.length)",
    apiCheckDefaults: { url: target.origin },
  })
  const result = (scripts: object): Promise<CheckResult> =>
    firstResult(t, url, '/v1/checks/api', {
      name: 'orders',
      groupId,
      request: {
        method: 'GET',
        url: '{{GROUP_BASE_URL}}/orders/{{DAY}}',
        headers: [{ key: 'x-signature', value: '{{SIGNATURE}}' }],
        assertions: [{ source: 'JSON_BODY', property: '$.card', comparison: 'EQUALS', target: 'masked' }],
      },
      ...scripts,
    })

  const good = await result({
    localSetupScript: `const { sign } = require('./snippets/sign.js')
process.env.DAY = 'today'
process.env.SIGNATURE = sign('/orders/today')`,
    localTearDownScript: "response.body = JSON.stringify({ ...JSON.parse(response.body), card: 'masked' })",
  })
  t.match(good, { hasFailures: false, hasErrors: false, error: null })
  const signature = createHmac('sha256', key).update('/orders/today').digest('hex')
  t.same(seen, [{ signature, by: 'orders', path: '/orders/today' }])
  t.match(good.apiCheckResult, {
    assertions: [{ passed: true, actual: 'masked' }],
    response: { body: '{"orders":[1,2],"card":"masked"}' },
    jobLog: {
      setup: [{ level: 'INFO', msg: 'by orders', time: Number }],
      request: [{ level: 'INFO', msg: /^GET http.*\/orders\/today: status 200 after \d+ ms$/ }],
      teardown: [{ level: 'INFO', msg: 'orders: 2' }],
    },
  })
  t.notMatch(JSON.stringify(good), /4111/)

  const broken = await result({ localSetupScript: '\nthrow new Error(process.env.SIGNING_KEY)' })
  t.match(broken, {
    hasFailures: true,
    hasErrors: false,
    apiCheckResult: {
      response: null,
      requestError: 'The setup script of the check failed at line 2: [secret]',
      jobLog: { setup: [{ msg: 'by orders' }, { level: 'ERROR' }], request: [], teardown: [] },
    },
  })
  t.equal(seen.length, 1, 'nothing was sent')
  t.same(canaries.find(Buffer.from(JSON.stringify([good, broken]))), [], 'no secret is in the results')
})
