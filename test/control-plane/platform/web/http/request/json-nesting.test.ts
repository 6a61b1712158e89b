import { gzipSync } from 'node:zlib'
import t from 'tap'
import { Type } from 'typebox'
import { valuesBelow } from '../../../../../../control-plane/platform/web/http/request/json-nesting.ts'
import {
  parseForeignJson,
  parseJson,
} from '../../../../../../control-plane/platform/web/http/request/json-text.ts'
import { type Route, route } from '../../../../../../control-plane/platform/web/http/route.ts'
import { routes } from '../../../../../../control-plane/routes.ts'
import { agentPaths } from '../../../../../../protocol/agent-api.ts'
import { testApp } from '../../../../../support/app.ts'
import { randomFrom } from '../../../../../support/random.ts'

const depthOf = (value: unknown): number =>
  value === null || typeof value !== 'object' ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf))

const lists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

t.test('nesting that is counted is the nesting that is there', async (t) => {
  const random = randomFrom(9)
  const texts = ['', 'a', '[[[', '}}', '"', '\\', '\\"', '"[{', 'é[', '\u0000', '\\\\"]']
  const make = (levels: number): unknown => {
    const choice = random()
    const text = texts[Math.floor(random() * texts.length)] ?? ''
    if (levels === 0 || choice < 0.3) return choice < 0.15 ? text : choice * 10
    const inner = Array.from({ length: Math.floor(random() * 3) }, () => make(levels - 1))
    return choice < 0.6 ? inner : Object.fromEntries(inner.map((one, count) => [`${text}${count}`, one]))
  }
  for (let round = 0; round < 3000; round++) {
    const value = make(8)
    const bytes = Buffer.from(random() < 0.5 ? JSON.stringify(value) : JSON.stringify(value, null, 2))
    const depth = depthOf(value)
    for (const levels of [depth - 1, depth, depth + 1].filter((one) => one >= 0)) {
      const isDeeper = valuesBelow(bytes, { levels, max: 0 }) === null
      if (isDeeper !== depth > levels) t.fail(`${levels} ${bytes}`)
    }
  }
})

t.test(
  'it is counted before anything is parsed: what is too deep is refused even where it is no JSON',
  async (t) => {
    for (const text of [
      '['.repeat(500_000),
      '{"a":'.repeat(100_000),
      `{"a": "${'['.repeat(100)}", "b": ${'[ 1, '.repeat(65)}`,
    ])
      t.throws(() => parseJson(Buffer.from(text)), {
        status: 400,
        message: 'The body is nested deeper than 64 levels',
      })
    t.equal(depthOf(parseJson(Buffer.from(lists(64)))), 64)
    t.throws(() => parseJson(Buffer.from(lists(65))), { status: 400, message: /64 levels/ })
    t.strictSame(parseJson(Buffer.from('"[[[["')), '[[[[')
    t.throws(() => parseJson(Buffer.from(`${']'.repeat(1000)}${'['.repeat(900)}`)), {
      message: /not valid JSON/,
    })
  },
)

t.test(
  'what others said is cut off where it is too deep, and refused where it is so very often',
  async (t) => {
    const deep = `${'{"a":'.repeat(63)}[${lists(1)}, ["x"], {"b":"]"}, 7]${'}'.repeat(63)}`
    let value = parseForeignJson(Buffer.from(deep))
    for (let level = 0; level < 63; level++) value = (value as { a: unknown }).a
    const cut = '[nested too deeply]'
    t.strictSame(value, [cut, cut, cut, 7])
    t.throws(
      () => parseForeignJson(Buffer.from(`${'['.repeat(64)}${'[],'.repeat(1001)}1${']'.repeat(64)}`)),
      {
        status: 400,
        message: /64 levels/,
      },
    )
    t.strictSame(parseForeignJson(Buffer.from(`["a\\u0000b", ${lists(65)}]`)), [
      'a\ufffdb',
      JSON.parse(lists(63).replace('[]', `["${cut}"]`)),
    ])
  },
)

const zipped = (text: string) => ({
  raw: new Uint8Array(gzipSync(text)),
  headers: { 'content-encoding': 'gzip' },
})

t.test('a key gets a body unpacked and its nesting counted; without a key nothing is unpacked', async (t) => {
  const { call, agentKey } = await testApp(t)
  const bomb = zipped('['.repeat(1_000_000))
  const refused = await call('POST', '/v1/checks/url', bomb)
  t.match(refused, {
    status: 400,
    body: { message: /nested deeper than 64 levels/, attributes: { maxDepth: 64 } },
  })
  t.equal((await call('POST', '/v1/checks/url', { ...bomb, key: 'wp_wrong' })).status, 401)
  const report = await call('POST', agentPaths.report, {
    ...zipped(`{"agentId":"a","reports":[${lists(500_000)}]}`),
    key: agentKey,
  })
  t.match(report, { status: 200, body: { outcomes: [{}] } }, 'one report of an agent is judged alone')
  for (const path of ['/v1/invites/accept', '/v1/public/status-pages/x/subscriptions']) {
    const packed = await call('POST', path, { ...zipped('{}'), key: null })
    t.equal(packed.status, 415, path)
    t.equal(packed.headers.get('accept-encoding'), 'identity')
    const large = await call('POST', path, { raw: `{"a":"${'x'.repeat(4096)}"}`, key: null })
    t.match(large, { status: 413, body: { attributes: { limitBytes: 4096 } } }, path)
    t.match(await call('POST', path, { raw: lists(65), key: null }), {
      status: 400,
      body: { message: /64 levels/ },
    })
  }
})

t.test('no route without a key takes more', async (t) => {
  const greedy: Route = route({
    method: 'POST',
    path: '/greedy',
    access: 'PUBLIC',
    tag: 'Test',
    summary: 'takes much',
    body: Type.Object({}),
    bodyLimit: 5000,
    status: 204,
    handle: () => undefined,
  })
  await t.rejects(testApp(t, { routes: [greedy] }), {
    message: 'POST /greedy needs no key and takes 5000 bytes',
  })
  for (const { access, bodyLimit = 0 } of routes) t.ok(access !== 'PUBLIC' || bodyLimit <= 4096)
})
