import t from 'tap'
import { testApp } from '../../../../../support/app.ts'
import { fc } from '../../../../../support/fast-check.ts'

/** Values that have broken parsers, stores and validators before. */
const nasty = fc.constantFrom<unknown>(
  null,
  '',
  '\0',
  '\ud800',
  '__proto__',
  1e308,
  -0,
  Number.MAX_SAFE_INTEGER + 2,
  [],
  {},
  [[[[[]]]]],
  { __proto__: null, constructor: 1 },
)
const value = fc.oneof({ weight: 3, arbitrary: nasty }, fc.jsonValue(), fc.string({ unit: 'binary' }))
const fields = [
  'name',
  'request',
  'locations',
  'privateLocations',
  'tags',
  'frequency',
  'frequencyOffset',
  'description',
  'groupId',
  'alertSettings',
  'retryStrategy',
  'runtimeId',
  '__proto__',
  'toString',
]
const body = fc.oneof(
  value,
  fc.array(fc.tuple(fc.constantFrom(...fields), value), { maxLength: 6 }).map((entries) => {
    const request = { url: 'https://example.com/' }
    return JSON.parse(JSON.stringify({ name: 'x', request, ...Object.fromEntries(entries) })) as unknown
  }),
)

t.test('no body, path or query makes the service fail', async (t) => {
  const { call, advance, logged } = await testApp(t)
  const answers = new Map<number, number>()
  const seen = ({ status }: { status: number }): boolean => {
    answers.set(status, (answers.get(status) ?? 0) + 1)
    return status < 500
  }
  await fc.assert(
    fc.asyncProperty(body, fc.string({ unit: 'binary' }), fc.string(), async (sent, text, raw) => {
      advance(1000)
      const encoded = encodeURIComponent(text.toWellFormed())
      return (
        seen(await call('POST', '/v1/checks/url', { body: sent ?? null })) &&
        seen(await call('POST', '/v1/checks/url', { raw })) &&
        seen(await call('GET', `/v1/checks/${encoded}`)) &&
        seen(await call('GET', `/v1/checks?search=${encoded}`)) &&
        seen(await call('GET', `/v1/missed-runs?${encoded}=${encoded}&nextId=${encoded}`))
      )
    }),
    { numRuns: 150 },
  )
  t.strictSame(logged, [], 'and nothing was logged as a failure')
  t.ok((answers.get(400) ?? 0) > 100 && (answers.get(201) ?? 0) > 0, JSON.stringify([...answers]))
})
