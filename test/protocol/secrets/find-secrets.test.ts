/** The list of spellings, through every exit of both programs. */

import t from 'tap'
import { createScrubber } from '../../../agent/scrub/scrub.ts'
import { createByteScrubber } from '../../../agent/scrub/scrub-bytes.ts'
import { hideSecrets } from '../../../control-plane/platform/services/secrets/hide-secrets.ts'
import type { Observation } from '../../../protocol/result.ts'
import { fc } from '../../support/fast-check.ts'
import { characterSpellings, encodedSpellings, spelledSecrets } from '../../support/spellings.ts'

type Exit = { name: string; mark: string; through(text: string, secret: string): string }

const bytesThrough = (
  secret: string,
  bytes: Buffer,
  { size, keepsLength }: { size: number; keepsLength: boolean },
) => {
  const scrubber = createByteScrubber([secret], keepsLength)
  const out: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) out.push(scrubber.push(bytes.subarray(at, at + size)))
  return Buffer.concat([...out, scrubber.end()])
}

/** In UTF-8; what has zeros in it is UTF-16, a byte a character. */
const asFile = (text: string): BufferEncoding => (text.includes('\0') ? 'latin1' : 'utf8')

const fileExit = (name: string, size: number): Exit => ({
  name,
  mark: '[secret]',
  through: (text, secret) => {
    const encoding = asFile(text)
    return bytesThrough(secret, Buffer.from(text, encoding), { size, keepsLength: false }).toString(encoding)
  },
})

const observation = (detail: unknown): Observation => ({
  responseTime: 1,
  failure: null,
  assertions: [],
  degraded: false,
  metrics: {},
  detail,
})

const exits: Exit[] = [
  {
    name: 'a text of the agent',
    mark: '[secret]',
    through: (text, secret) => createScrubber([secret]).text(text),
  },
  {
    name: 'an observation',
    mark: '[secret]',
    through: (text, secret) => {
      const clean = createScrubber([secret]).observation(observation({ headers: { 'x-echo': text } }))
      return (clean.detail as { headers: Record<string, string> }).headers['x-echo'] ?? ''
    },
  },
  fileExit('a file in one piece', 1e9),
  fileExit('a file in pieces of 17 bytes', 17),
  {
    name: 'a file that keeps its length',
    mark: '*',
    through: (text, secret) => {
      const encoding = asFile(text)
      const bytes = Buffer.from(text, encoding)
      const clean = bytesThrough(secret, Buffer.from(bytes), { size: 1000, keepsLength: true })
      return clean.length === bytes.length ? clean.toString(encoding).replace(/\*+/g, '*') : 'another length'
    },
  },
  { name: 'the control plane', mark: '***', through: (text, secret) => hideSecrets(text, [secret]) },
]

const literal = (text: string): string => text.replace(/[*[\]]/g, '\\$&')

t.test('a secret is found in every spelling, and nothing but the secret is taken', async (t) => {
  let found = 0
  const missed: string[] = []
  const asked = (exit: Exit, name: string, isFound: boolean) => {
    if (isFound) found += 1
    else missed.push(`${name} through ${exit.name}`)
  }
  for (const exit of exits)
    for (const [kind, secret] of Object.entries(spelledSecrets)) {
      for (const { name, write } of characterSpellings) {
        const clean = exit.through(`said ${write(secret)}, then`, secret)
        asked(exit, `${kind}, ${name}`, clean === `said ${exit.mark}, then`)
      }
      // Of other bytes in the same run so much may stay, or go with it.
      const around = new RegExp(`^said [^,]{0,170}${literal(exit.mark)}[^,]{0,170}, then$`)
      for (const { name, write } of encodedSpellings) {
        const text = `said ${write(secret)}, then`
        const clean = exit.through(text, secret)
        const left = clean.length - 'said , then'.length - exit.mark.length
        const written = text.length - 'said , then'.length
        asked(exit, `${kind}, ${name}`, around.test(clean) && left < written - secret.length)
      }
    }
  const counts = `${characterSpellings.length + encodedSpellings.length} spellings × ${Object.keys(spelledSecrets).length} secrets × ${exits.length} exits`
  t.strictSame(missed, [])
  t.comment(`list of spellings: ${counts}: ${found} found, ${missed.length} missed`)
})

t.test('any secret is found in any spelling, whatever stands around it', async (t) => {
  const secrets = fc
    .string({ unit: 'binary', minLength: 5, maxLength: 40 })
    .filter((one) => one.trim().length > 4)
  const all = [...characterSpellings, ...encodedSpellings]
  fc.assert(
    fc.property(
      secrets,
      fc.constantFrom(...all),
      fc.string(),
      fc.string(),
      (secret, { write }, before, after) => {
        const written = write(secret)
        const text = `${before}${written}${after}`
        return exits.every(({ through }) => !through(text, secret).includes(written))
      },
    ),
    { numRuns: 1500 },
  )
  t.pass()
})

t.test('what stands before and behind a secret does not hide it', async (t) => {
  const secret = '41de0nxab'
  for (const before of ['%', '=', '\\', '\\\\', '&#', '&#x', '\\x', '\\u{', '%25', 'c2Vj', '\r\n', '=\n'])
    for (const after of ['%', '=', '\\', '41', '&', '0', 'c2Vj', '\n'])
      for (const { name, mark, through } of exits)
        t.notMatch(
          through(`${before}${secret}${after}`, secret),
          /de0nx/,
          `${before} ${after} ${name} ${mark}`,
        )
})
