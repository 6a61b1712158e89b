import fc from 'fast-check'
import t from 'tap'
import { createScrubber, hidden } from '../../agent/scrub.ts'
import { comparisons } from '../../protocol/assertion.ts'
import { Observation } from '../../protocol/result.ts'
import { compile } from '../../protocol/validate.ts'
import { createCanaries } from '../support/canaries.ts'
import { cpuTimeMs } from '../support/cpu-time.ts'

const secret = 'p@ss/w"rd <ä>+%\\n 7'
const scrub = createScrubber([secret]).text

t.test('a secret is found however it is written', async (t) => {
  const shifted = ['', 'x', 'xx'].map((before) => Buffer.from(`${before}${secret}yz`).toString('base64'))
  const forms = {
    raw: secret,
    'percent-encoded': encodeURIComponent(secret),
    'in lower case percent': encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
    'as a form field': new URLSearchParams({ a: secret }).toString().slice(2),
    'as a query of an address': new URL(
      `http://h/?${secret.replace('%', '%25').replace('+', '%2B')}`,
    ).search.slice(1),
    'encoded twice': encodeURIComponent(encodeURIComponent(secret)),
    'fully percent-encoded': Buffer.from(secret).toString('hex').replace(/../g, '%$&'),
    'as JSON': JSON.stringify(secret).slice(1, -1),
    'as JSON in JSON': JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    'with unicode escapes': [...secret]
      .map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
    'for HTML': secret.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    'as Latin-1': Buffer.from(secret).toString('latin1'),
    hex: Buffer.from(secret).toString('hex'),
    HEX: Buffer.from(secret).toString('hex').toUpperCase(),
  }
  for (const [name, form] of Object.entries(forms)) t.equal(scrub(`<${form}>`), `<${hidden}>`, name)
  for (const form of shifted) {
    t.match(scrub(form), hidden, form)
    t.ok(scrub(form).length < hidden.length + 8, 'little of it is left')
    t.match(scrub(form.replaceAll('+', '-').replaceAll('/', '_')), hidden)
  }
  t.equal(createScrubber(['ToKeN123']).text('token123.example.com'), `${hidden}.example.com`)
})

t.test('no form of any secret gets through', async (t) => {
  const random = fc
    .string({ unit: 'binary', minLength: 4, maxLength: 40 })
    .filter((value) => value.trim().length >= 4)
  fc.assert(
    fc.property(random, fc.string(), (value, around) => {
      if (comparisons.some((word) => word.includes(value))) return true
      const canaries = createCanaries()
      canaries.add('it', value)
      const { text } = createScrubber([value])
      const forms = [value, encodeURIComponent(value.toWellFormed()), Buffer.from(value).toString('hex')]
      return forms.every((form) => !text(`${around}${form}${around}`).includes(form) || form.length < 4)
    }),
    { numRuns: 300 },
  )
  t.pass()
})

t.test('short values and words of the protocol are left alone', async (t) => {
  const { text } = createScrubber(['123', '/', '', '   ', 'true', 'EQUALS', 'http', 'https://'])
  const plain = 'https://a/123 is true, EQUALS'
  t.equal(text(plain), plain)
})

t.test('a secret that a cut has left half of is hidden too', async (t) => {
  const { text } = createScrubber(['abcdefghijklmnop'])
  const long = 'x'.repeat(200)
  t.equal(text(`${long}abcdefghij`), `${long}${hidden}`)
  t.equal(text(`it was ${long}abcdefghij…`), `it was ${long}${hidden}…`)
  t.equal(text(`${long}abc`), `${long}abc`)
})

t.test('an observation keeps its shape, whatever the secrets are', async (t) => {
  const observation: Observation = {
    responseTime: 1234,
    failure: { code: 'FAIL1234', message: '1234'.repeat(1024), network: false },
    assertions: [
      {
        source: 'JSON_BODY',
        property: '$.pin',
        comparison: 'EQUALS',
        target: 1234,
        regex: null,
        order: 0,
        passed: true,
        actual: 1234,
        error: null,
      },
    ],
    degraded: false,
    metrics: { total: 1234 },
    detail: { headers: { 'x-1234': ['1234', null] }, bodyBytes: 1234 },
  }
  const clean = createScrubber(['1234', 'UALS', 'EQUALS']).observation(observation)
  t.equal(compile(Observation)(JSON.parse(JSON.stringify(clean))).ok, true)
  t.match(clean, {
    responseTime: 1234,
    failure: { code: `FAIL${hidden}` },
    assertions: [{ comparison: 'EQUALS', target: hidden, actual: hidden }],
    metrics: { total: 1234 },
    detail: { headers: { [`x-${hidden}`]: [hidden, null] }, bodyBytes: 1234 },
  })
  t.equal(createScrubber([]).observation(observation), observation, 'without secrets there is nothing to do')
})

t.test('hostile texts are read in time', async (t) => {
  const { text } = createScrubber(['"quoted/secret\\', 'a b'.repeat(20), 'y'.repeat(100_000)])
  const before = cpuTimeMs()
  for (const piece of ['\\', '%25', '…', 'a ', 'y', '%', '+']) text(piece.repeat(30_000))
  t.ok(cpuTimeMs() - before < 2000)
})
