// Runs in a process of its own: it compares processor times.
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { createScrubber, hidden, scrubCost } from '../../../agent/scrub/scrub.ts'
import { comparisons } from '../../../protocol/comparisons.ts'
import { type LogLine, Observation } from '../../../protocol/result.ts'
import { compile } from '../../../protocol/validate.ts'
import { createCanaries } from '../../support/canaries.ts'
import { cpuTimeMs } from '../../support/cpu-time.ts'
import { fc } from '../../support/fast-check.ts'

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

t.test('upper and lower case are found, but never as a word of the protocol', async (t) => {
  const { text } = createScrubber(['Pass-Wörd', 'Equals', 'tRue'])
  t.equal(text('PASS-WÖRD pass-wörd Pass-Wörd'), `${hidden} ${hidden} ${hidden}`)
  t.equal(text('EQUALS equals Equals true tRue TRUE'), `EQUALS equals ${hidden} true ${hidden} TRUE`)
})

const line = (msg: string): LogLine => ({ time: 1, level: 'INFO', msg })

t.test('a secret that is split over lines of a log is found at any point', async (t) => {
  const value = 'p&ss/w"rd+77ü'
  const written = [
    value,
    encodeURIComponent(value),
    Buffer.from(`x${value}`).toString('base64'),
    Buffer.from(value).toString('hex'),
  ]
  const scrubber = createScrubber([value])
  let split = 0
  for (const form of written)
    for (let first = 1; first < form.length; first += 1)
      for (let second = first; second < form.length; second += 3) {
        const parts = [
          `it is ${form.slice(0, first)}`,
          form.slice(first, second),
          `${form.slice(second)}, then`,
        ]
        const clean = scrubber
          .lines([line('before'), ...parts.map(line), line('after')])
          .map(({ msg }) => msg)
        const kept = ['before', `it is ${hidden}`, second === first ? '' : hidden, `${hidden}, then`, 'after']
        if (form.length === value.length) t.strictSame(clean, kept)
        const rest = clean.join('').replaceAll(hidden, '')
        if (!/^beforeit is .{0,2}, thenafter$/.test(rest))
          t.fail(`${form} at ${first} and ${second}: ${rest}`)
        split += 1
      }
  t.comment(`split over lines: ${split} found`)
  t.strictSame(scrubber.lines([line('one'), line(''), line('two')]), [line('one'), line(''), line('two')])
  t.equal(scrubber.lines([line(value)])[0]?.msg, hidden)
})

t.test(
  'a log in what was observed is read as one, too, and a break inside a line counts for nothing',
  async (t) => {
    const value = 'abcdefgh-secret'
    const jobLog = {
      setup: [line('abcdefgh-'), line('secret')],
      request: [],
      teardown: [line('abcd\nefgh-\r\nsecret')],
    }
    const seen: Observation = {
      responseTime: 1,
      failure: null,
      assertions: [],
      degraded: false,
      metrics: {},
      detail: { jobLog, list: [1, 'abcdefgh-secret', null] },
    }
    t.strictSame(createScrubber([value]).observation(seen).detail, {
      jobLog: { setup: [line(hidden), line(hidden)], request: [], teardown: [line(hidden)] },
      list: [1, hidden, null],
    })
  },
)

t.test('of a long line that was cut, the start of a secret goes, spelled or not', async (t) => {
  const value = 'p@ss/w"rd+and-more'
  const { text, lines } = createScrubber([value])
  const long = 'x '.repeat(150)
  t.equal(text(`${long}${encodeURIComponent(value).slice(0, 20)}`), `${long}${hidden}`)
  const cut = `${long}${value.slice(0, 9)}… (9000 characters)`
  t.strictSame(
    lines([line(cut), line('next')]).map(({ msg }) => msg),
    [`${long}${hidden}… (9000 characters)`, 'next'],
  )
})

const many = (count: number): string[] =>
  Array.from({ length: count }, () => randomBytes(15).toString('base64'))

t.test('thousands of secrets cost about as much as one', async (t) => {
  const secrets = many(7000)
  const body = JSON.stringify(
    Array.from({ length: 12_000 }, (_, at) => ({
      id: at * 7919,
      text: `the quick brown fox ${at}`,
      at: '2026-01-01T00:00:00Z',
    })),
  )
  const log = 'a line of the log, with status 200 after 12 ms\n'.repeat(1400)
  const scrub = () => {
    const before = cpuTimeMs()
    const { text } = createScrubber(secrets)
    t.equal(text(log), log)
    t.equal(text(`${body}${secrets[6999]}`), `${body}${hidden}`)
    return cpuTimeMs() - before
  }
  const times = [scrub(), scrub(), scrub()]
  const cost = scrubCost(secrets, body.length + log.length)
  t.comment(
    `7000 secrets, ${body.length + log.length} characters: ${times.map(Math.round).join(', ')} ms, expected ${Math.round(cost)}`,
  )
  t.ok(Math.min(...times) < 1000)
  t.ok(cost > Math.min(...times) / 10 && cost < 10 * Math.max(...times), 'the estimate is of that size')
  t.equal(scrubCost(['abc'], 1e9), 0)
})

t.test('secrets that begin alike and texts that begin like them everywhere are read in time', async (t) => {
  const same = 'the-same-beginning-of-every-token-'
  const secrets = [
    ...Array.from({ length: 7000 }, (_, at) => `${same}${at}`),
    `${'a'.repeat(60)}b`,
    `${'%'.repeat(12)}x`,
    `${'\\'.repeat(12)}x`,
    'A'.repeat(65_536),
  ]
  const { text } = createScrubber(secrets)
  const size = 1_000_000
  for (const piece of [
    '%25',
    '25',
    '\\',
    'A',
    'a',
    '\\u0061',
    '\\\\',
    '&amp;',
    '&#0',
    '&#x61',
    '=61',
    '=\n',
    'a\n',
    '\0',
    'ü',
    '…',
    same,
    '%61',
    Buffer.from(same).toString('base64'),
  ]) {
    const before = cpuTimeMs()
    text(`%${piece.repeat(size / piece.length)}`)
    const spent = cpuTimeMs() - before
    t.ok(spent < 3000, `${JSON.stringify(piece)}: ${Math.round(spent)} ms`)
  }
  const base64 = randomBytes(size).toString('base64')
  const before = cpuTimeMs()
  t.equal(text(base64).length, base64.length)
  t.comment(`1.3 MB of base64: ${Math.round(cpuTimeMs() - before)} ms`)
  t.equal(createScrubber(many(5)).text('a'.repeat(size)).length, size, 'and what is none of them stays')
})

t.test('hostile texts are read in time', async (t) => {
  const { text } = createScrubber(['"quoted/secret\\', 'a b'.repeat(20), 'y'.repeat(100_000)])
  const before = cpuTimeMs()
  for (const piece of ['\\', '%25', '…', 'a ', 'y', '%', '+']) text(piece.repeat(30_000))
  t.ok(cpuTimeMs() - before < 2000)
})
