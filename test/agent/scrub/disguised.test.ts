/** Secrets that a page shows in disguise, and texts that only look a little like it. */
import t from 'tap'
import { createDisguiseFinder } from '../../../agent/scrub/disguised.ts'

const secret = 'pass word/4711+é'
const pin = '8264'
const characters = [...secret]
const bytes = [...Buffer.from(secret)]
const tree = (role: string, parts: readonly string[]) =>
  parts.map((part) => `- ${role}: ${JSON.stringify(part)}`).join('\n')
const inBase = (base: number, width = 0) =>
  bytes.map((one) => one.toString(base).padStart(width, '0')).join(' ')
const rotated = (by: number) =>
  secret.replace(/[a-z]/g, (letter) => String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + by) % 26)))

const disguises: Record<string, string> = {
  backwards: characters.toReversed().join(''),
  'with blanks': characters.join(' '),
  'with dashes': characters.join('-'),
  'with nothing visible': characters.join('\u200b'),
  'a character an element': tree('listitem', characters),
  'a character a text': tree('text', characters),
  'backwards with blanks': characters.toReversed().join(' '),
  'in upper case with dots': characters.join('.').toUpperCase(),
  'in halves': `- paragraph: pass wo\n- heading "x" [level=1]\n- paragraph: the rest is rd/4711+é`,
  'in three pieces, in another order': 'it ends with 4711+é, and "word/" follows on "pass "',
  'in pieces that are backwards': `${characters.slice(0, 8).toReversed().join('')} … ${characters.slice(8).toReversed().join('')}`,
  rot13: rotated(13),
  'shifted by three': rotated(3),
  'shifted and backwards': [...rotated(5)].toReversed().join(''),
  'decimal bytes': inBase(10),
  'code points': characters.map((one) => one.charCodeAt(0)).join(', '),
  'hex with blanks': inBase(16),
  octal: inBase(8),
  binary: inBase(2, 8),
  'base64 backwards': [...Buffer.from(secret).toString('base64')].toReversed().join(''),
  'full width': secret.replace(/[a-z0-9]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)),
  'a short one with blanks': [...pin].join(' '),
  'a short one backwards': [...pin].toReversed().join(''),
  'a short one, a digit an element': tree('text', [...pin]),
}

const ordinary = [
  '- heading "Account" [level=1]\n- textbox "Password"\n- button "Sign in"\n- paragraph: Your [secret] is hidden, order 4711',
  'address: http://127.0.0.1:8265/\ntitle: Shop',
  'The password must have 12 characters. A word of 2024, and 82 or 64 of them.',
  '- paragraph: 123 items, 8 265 in all, on 2026-11-23 at 10:12 for 99.90',
  '',
]

t.test('a secret in disguise is found, and ordinary text is not taken for one', async (t) => {
  const isDisguised = createDisguiseFinder([secret, 'Password123!', pin])
  for (const [name, text] of Object.entries(disguises)) {
    t.ok(isDisguised(`Some words before.\n${text}\nAnd some behind.`), name)
    t.ok(isDisguised(text), `${name}, alone`)
  }
  for (const text of ordinary) t.notOk(isDisguised(text), text)
  t.notOk(createDisguiseFinder([])(disguises['backwards'] ?? ''))
  t.comment(`${Object.keys(disguises).length} disguises found, ${ordinary.length} ordinary texts left alone`)
})
