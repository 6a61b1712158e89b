import { randomBytes } from 'node:crypto'
import t from 'tap'
import { createByteScrubber } from '../../agent/scrub-bytes.ts'

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
