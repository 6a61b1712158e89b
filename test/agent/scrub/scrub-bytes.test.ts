// Runs in a process of its own: it compares processor times.
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { createByteScrubber } from '../../../agent/scrub/scrub-bytes.ts'
import { cpuTimeMs } from '../../support/cpu-time.ts'

const secret = 'p@ss wörd/+"1'
const utf8 = Buffer.from(secret)

const forms: Record<string, Buffer> = {
  'as it is': utf8,
  'percent-encoded': Buffer.from(encodeURIComponent(secret)),
  'percent-encoded twice': Buffer.from(encodeURIComponent(encodeURIComponent(secret))),
  'in JSON': Buffer.from(JSON.stringify(secret).slice(1, -1)),
  'as hex': Buffer.from(utf8.toString('hex')),
  'as upper-case hex': Buffer.from(utf8.toString('hex').toUpperCase()),
  'as base64': Buffer.from(utf8.toString('base64')),
  'inside base64': Buffer.from(Buffer.concat([Buffer.from('xy'), utf8, Buffer.from('z')]).toString('base64')),
  'as base64url': Buffer.from(utf8.toString('base64url')),
}

const scrubbed = (bytes: Buffer, size: number, { keepsLength = false, secrets = [secret] } = {}): Buffer => {
  const scrubber = createByteScrubber(secrets, keepsLength)
  const out: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) out.push(scrubber.push(bytes.subarray(at, at + size)))
  return Buffer.concat([...out, scrubber.end()])
}

for (const [name, form] of Object.entries(forms))
  t.test(`a secret ${name} is found wherever the bytes are cut`, async (t) => {
    const noise = randomBytes(700)
    const bytes = Buffer.concat([noise, form, noise, form])
    const whole = scrubbed(bytes, bytes.length)
    t.equal(whole.indexOf(form), -1)
    t.equal(whole.toString('latin1').split('[secret]').length, 3, 'both are replaced')
    t.ok(whole.subarray(0, 600).equals(noise.subarray(0, 600)), 'other bytes are as they were')
    for (const size of [1, 2, 3, 7, 64, 701, 710])
      t.ok(scrubbed(bytes, size).equals(whole), `in pieces of ${size}`)
    const kept = scrubbed(bytes, 64, { keepsLength: true })
    t.equal(kept.length, bytes.length, 'offsets stay where they were')
    t.equal(kept.indexOf(form), -1)
  })

t.test('a key of many lines is found, and secrets that overlap leave nothing of either', async (t) => {
  const pem = `-----BEGIN KEY-----\n${randomBytes(1200).toString('base64')}\n-----END KEY-----\n`
  const bytes = Buffer.from(`before ${pem} ${JSON.stringify({ pem })} after`)
  const clean = scrubbed(bytes, 100, { secrets: [pem] }).toString()
  t.equal(clean, 'before [secret] {"pem":"[secret]"} after')
  t.equal(
    scrubbed(Buffer.from('x abcdefgh y'), 1, { secrets: ['abcdef', 'defgh'] }).toString(),
    'x [secret] y',
  )
})

t.test('without secrets bytes pass as they are, and at once', async (t) => {
  const scrubber = createByteScrubber(['abc'], false)
  t.ok(scrubber.push(Buffer.from('abc')).equals(Buffer.from('abc')), 'too short to be a secret')
  t.equal(scrubber.end().length, 0)
})

t.test('a secret in UTF-16 or Latin-1 is found, and one of two that touch is not lost', async (t) => {
  for (const encoding of ['utf16le', 'latin1'] as const) {
    const bytes = Buffer.concat([
      Buffer.from('before '),
      Buffer.from(secret, encoding),
      Buffer.from(' after'),
    ])
    for (const size of [1, 5, 1000])
      t.match(
        scrubbed(bytes, size).toString('latin1'),
        /^before \[secret\]\0? after$/,
        `${encoding} by ${size}`,
      )
  }
  t.equal(scrubbed(Buffer.from(`${secret}${secret}`), 3).toString(), '[secret][secret]')
})

/** CPU time of a piece, the middle of many: a neighbour on the same core doubles what some of them take. */
const costOf = (secrets: readonly string[], piece: Buffer): number => {
  const scrubber = createByteScrubber([...secrets, 'x'.repeat(4000)], true)
  const times = Array.from({ length: 64 }, () => {
    const before = cpuTimeMs()
    scrubber.push(piece)
    return cpuTimeMs() - before
  })
  return times.toSorted((a, b) => a - b)[32] ?? Number.NaN
}

t.test('a piece of a large file costs about the same, however many the secrets are', async (t) => {
  const secrets = Array.from({ length: 7000 }, () => randomBytes(15).toString('base64'))
  for (const [name, piece] of Object.entries({
    'random bytes': randomBytes(32 * 1024),
    base64: Buffer.from(randomBytes(24 * 1024).toString('base64')),
    'percent signs': Buffer.from('%25'.repeat(11_000)),
    'the start of a secret': Buffer.alloc(32 * 1024, 'x'),
  })) {
    const [few, many] = [costOf(secrets.slice(0, 7), piece), costOf(secrets, piece)]
    // A thousand times as many: to look for each of them would be a thousand times as long.
    t.ok(many < 10 * few, `${name}: ${few.toFixed(1)} ms with 7, ${many.toFixed(1)} ms with 7,000`)
  }
})
