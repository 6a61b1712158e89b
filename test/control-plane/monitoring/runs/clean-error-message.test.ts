import t from 'tap'
import { cleanErrorMessage } from '../../../../control-plane/monitoring/runs/clean-error-message.ts'
import { errorHash, groupId } from '../../../../control-plane/monitoring/runs/error-group-id.ts'
import { cpuTimeMs } from '../../../support/cpu-time.ts'
import { fc } from '../../../support/fast-check.ts'

const cases: [message: string, cleaned: string][] = [
  [
    'shop.example:443 (203.0.113.7) refused the connection after 12 ms',
    'shop.example:<port> (<address>) refused the connection after <duration>',
  ],
  [
    '[2001:db8::1]:8443 had not accepted the connection when the limit of 30 s was over',
    '<address> had not accepted the connection when the limit of <duration> was over',
  ],
  ['order 7f9c24e8-3b12-4fef-91e0-5ab1c8d0a9d1 not found', 'order <uuid> not found'],
  ['commit 3f2a9bc041d7 failed', 'commit <hex> failed'],
  ['at 2026-01-02T03:04:05.678Z the job 4711 failed', 'at <time> the job <n> failed'],
  ['Fri, 02 Jan 2026 03:04:05 GMT is over', '<time> is over'],
  ['expected body to equal "alice" but it was "bob"', 'expected body to equal <value> but it was <value>'],
  ["can't read property 'name' of undefined", "can't read property <value> of undefined"],
  [
    'GET https://shop.example/orders/123?token=abc#x answered late',
    'GET https://shop.example/orders/<n> answered late',
  ],
  ['mail to ann.lee+x@shop.example bounced', 'mail to <email> bounced'],
  ['The server answered with status 503', 'The server answered with status 503'],
  ['expected status to equal 200 but it was 404', 'expected status to equal 200 but it was 404'],
  [
    'expected response time to be less than 500 but it was 612',
    'expected response time to be less than <n> but it was <n>',
  ],
  [
    "locator.click: Timeout 30000ms exceeded. waiting for locator('#buy')",
    "locator.click: Timeout <duration> exceeded. waiting for locator('#buy')",
  ],
  ['pointer 0x7ffeab01 is bad, 12.5% left of 1,024 bytes', 'pointer <hex> is bad, <n>% left of <n> bytes'],
  ['session sess_9aZ4kQ81xPq22LmT has ended', 'session <id> has ended'],
  ['\u001b[31mred\u001b[0m   and\n  blue', 'red and blue'],
  ['TLSv1.2 and http2 and x509 and ERR_42_A stay', 'TLSv1.2 and http2 and x509 and ERR_42_A stay'],
]

t.test('variable parts are taken out and what names the failure stays', async (t) => {
  for (const [message, cleaned] of cases) t.equal(cleanErrorMessage(message), cleaned, message)
})

t.test('cleaning a cleaned message changes nothing', async (t) => {
  for (const [message] of cases) {
    const once = cleanErrorMessage(message)
    t.equal(cleanErrorMessage(once), once)
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      cleanErrorMessage(text)
    }),
    { numRuns: 300 },
  )
})

const hex = (length: number) =>
  fc
    .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })
    .filter((text) => /[a-f]/.test(text) && /\d/.test(text))

const values: Record<string, fc.Arbitrary<string>> = {
  uuid: fc.uuid(),
  hex: hex(12),
  number: fc.integer({ min: 0, max: 10_000_000 }).map(String),
  decimal: fc.integer({ min: 0, max: 99_999 }).map((value) => (value / 100).toFixed(2)),
  time: fc
    .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
    .map((date) => date.toISOString()),
  ip: fc.ipV4(),
  ip6: fc.ipV6().filter((text) => !text.includes('.') && text !== '::'),
  port: fc.integer({ min: 1, max: 65_535 }).map(String),
  quoted: fc.string({ unit: fc.constantFrom(...'abc XYZ019.-_'), maxLength: 20 }),
  duration: fc
    .tuple(fc.integer({ min: 0, max: 90_000 }), fc.constantFrom('ms', ' ms', ' s', 's'))
    .map(([n, unit]) => `${n}${unit}`),
}

const templates = [
  'order {uuid} of customer {number} was refused',
  'connect to {ip}:{port} failed after {duration}',
  'address [{ip6}]:{port} is not reachable',
  'shop.example:{port} closed the connection',
  'value "{quoted}" is not {decimal} at {time}',
  "unknown key '{quoted}' in item {number}",
  'fetch of https://shop.example/orders/{number}/lines/{uuid} took {duration}',
  'blob {hex} is {number} bytes short',
  'job-{number} stopped at {time}',
]

const filled = (template: string): fc.Arbitrary<string> => {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  return fc
    .tuple(...names.map((name) => values[name]!))
    .map((given) => given.reduce<string>((text, value) => text.replace(/\{\w+\}/, () => value), template))
}

t.test('the same template with other values is the same error', async (t) => {
  for (const template of templates)
    fc.assert(
      fc.property(filled(template), filled(template), (a, b) => {
        if (cleanErrorMessage(a) !== cleanErrorMessage(b))
          throw new Error(`${cleanErrorMessage(a)} | ${cleanErrorMessage(b)}`)
      }),
      { numRuns: 200 },
    )
  t.pass('for 200 pairs of each template')
})

t.test('different failures are different errors', async (t) => {
  const messages = [
    ...templates,
    ...cases.map(([, cleaned]) => cleaned),
    'The server answered with status 500',
    'The server answered with status 502',
    "waiting for locator('#a')",
    "waiting for locator('#b')",
  ]
  const hashes = new Set(messages.map((message) => errorHash(cleanErrorMessage(message))))
  t.equal(hashes.size, new Set(messages).size)
})

t.test('a message of megabytes or of hostile repetition is cleaned in no time', async (t) => {
  const before = cpuTimeMs()
  for (const part of [
    '"',
    "'",
    'a-',
    '1:',
    ':::',
    '(',
    '1.',
    '\\',
    'a@',
    'https://',
    '2026-',
    '<',
    'status ',
  ])
    cleanErrorMessage(part.repeat(1_000_000))
  const tookMs = cpuTimeMs() - before
  t.ok(tookMs < 2000, `${Math.round(tookMs)} ms`)
})

t.test('the id of a group is a UUID that follows from check and error', async (t) => {
  t.match(groupId('c', 'h'), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  t.equal(groupId('c', 'h'), groupId('c', 'h'))
  t.not(groupId('c', 'h'), groupId('d', 'h'))
  t.not(groupId('c', 'h'), groupId('c', 'i'))
})
