/** How programs write a secret that they say again, each made by Node or by hand: not by what is tested. */
import { randomBytes } from 'node:crypto'

export type Spelling = { name: string; write(secret: string): string }

const bytesOf = (secret: string): Buffer => Buffer.from(secret.toWellFormed())
const eachByte = (secret: string, write: (hex: string, byte: number) => string): string =>
  [...bytesOf(secret)].map((byte) => write(byte.toString(16).padStart(2, '0'), byte)).join('')
const eachCharacter = (secret: string, write: (code: number) => string): string =>
  [...secret].map((one) => write(one.codePointAt(0)!)).join('')
const eachUnit = (secret: string, write: (code: number) => string): string =>
  secret
    .split('')
    .map((one) => write(one.charCodeAt(0)))
    .join('')
const hex = (value: number, width = 1): string => value.toString(16).padStart(width, '0')
const jsonOf = (text: string): string => JSON.stringify(text).slice(1, -1)
const lines = (text: string, width: number, end: string): string =>
  text.match(new RegExp(`.{1,${width}}`, 'g'))!.join(end)
const htmlOf = (text: string): string =>
  text.replace(
    /[&<>"']/g,
    (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[one] ?? '&#39;',
  )
const quotedPrintable = (secret: string): string => eachByte(secret, (two) => `=${two.toUpperCase()}`)
const utf16 = (secret: string, isBig: boolean): Buffer => {
  const bytes = Buffer.from(secret, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}

const perCharacter: Spelling[] = [
  { name: 'as it is', write: (secret) => secret },
  { name: 'in upper case', write: (secret) => secret.toUpperCase() },
  { name: 'in lower case', write: (secret) => secret.toLowerCase() },
  { name: 'in an address', write: (secret) => encodeURIComponent(secret) },
  { name: 'in an address in lower case', write: (secret) => encodeURIComponent(secret).toLowerCase() },
  { name: 'in an address twice', write: (secret) => encodeURIComponent(encodeURIComponent(secret)) },
  { name: 'as a form field', write: (secret) => new URLSearchParams({ a: secret }).toString().slice(2) },
  { name: 'all percent-encoded', write: (secret) => eachByte(secret, (two) => `%${two}`) },
  { name: 'in JSON', write: jsonOf },
  { name: 'in JSON in JSON', write: (secret) => jsonOf(jsonOf(secret)) },
  { name: 'as \\u', write: (secret) => eachUnit(secret, (code) => `\\u${hex(code, 4)}`) },
  {
    name: 'as \\u in upper case',
    write: (secret) => eachUnit(secret, (code) => `\\u${hex(code, 4).toUpperCase()}`),
  },
  { name: 'as \\u{}', write: (secret) => eachCharacter(secret, (code) => `\\u{${hex(code)}}`) },
  { name: 'as \\u{} with zeros', write: (secret) => eachCharacter(secret, (code) => `\\u{${hex(code, 6)}}`) },
  { name: 'as \\x', write: (secret) => eachByte(secret, (two) => `\\x${two}`) },
  { name: 'as \\x in upper case', write: (secret) => eachByte(secret, (two) => `\\x${two.toUpperCase()}`) },
  {
    name: 'as octal',
    write: (secret) => eachByte(secret, (_, byte) => `\\${byte.toString(8).padStart(3, '0')}`),
  },
  { name: 'for HTML', write: htmlOf },
  { name: 'for HTML twice', write: (secret) => htmlOf(htmlOf(secret)) },
  { name: 'as decimal entities', write: (secret) => eachCharacter(secret, (code) => `&#${code};`) },
  {
    name: 'as decimal entities with zeros',
    write: (secret) => eachCharacter(secret, (code) => `&#000${code};`),
  },
  {
    name: 'as decimal entities without semicolons',
    write: (secret) => eachCharacter(secret, (code) => `&#${code}`),
  },
  { name: 'as hex entities', write: (secret) => eachCharacter(secret, (code) => `&#x${hex(code)};`) },
  {
    name: 'as hex entities in upper case',
    write: (secret) => eachCharacter(secret, (code) => `&#X${hex(code, 4).toUpperCase()};`),
  },
  {
    name: 'as hex entities without semicolons',
    write: (secret) => eachCharacter(secret, (code) => `&#x${hex(code)}`),
  },
  { name: 'quoted-printable', write: quotedPrintable },
  { name: 'quoted-printable in lower case', write: (secret) => quotedPrintable(secret).toLowerCase() },
  { name: 'quoted-printable, soft breaks', write: (secret) => lines(quotedPrintable(secret), 9, '=\r\n') },
  {
    name: 'soft breaks with LF alone',
    write: (secret) => quotedPrintable(secret).replace(/(=..){4}/g, '$&=\n'),
  },
  { name: 'UTF-8 read as Latin-1', write: (secret) => bytesOf(secret).toString('latin1') },
  {
    name: 'UTF-16, the low byte first',
    write: (secret) => utf16(secret, false).toString('latin1').replace(/\0$/, ''),
  },
  {
    name: 'UTF-16, the high byte first',
    write: (secret) => utf16(secret, true).toString('latin1').replace(/^\0/, ''),
  },
  { name: 'broken by LF', write: (secret) => secret.replace(/^.{3}/su, '$&\n') },
  { name: 'broken by CR LF', write: (secret) => secret.replace(/.$/su, '\r\n$&') },
]

/** Each character in another way. */
const mixed: Spelling = {
  name: 'each character differently',
  write: (secret) =>
    [...secret]
      .map((one, at) => {
        const others = one < '\x80' ? /UTF|broken|semicolon/ : /UTF|broken|semicolon|^in (upper|lower) case/
        const plain = perCharacter.filter(({ name }) => !others.test(name))
        return plain[(at * 7) % plain.length]!.write(one)
      })
      .join(''),
}

const befores = ['', 'x', 'xy']

const encoded: Spelling[] = [
  { name: 'hex', write: (secret) => bytesOf(secret).toString('hex') },
  { name: 'hex in upper case', write: (secret) => bytesOf(secret).toString('hex').toUpperCase() },
  { name: 'hex of an address', write: (secret) => Buffer.from(encodeURIComponent(secret)).toString('hex') },
  { name: 'hex of UTF-16', write: (secret) => utf16(secret, false).toString('hex') },
  ...befores.flatMap((before): Spelling[] => {
    const shift = ` after ${before.length}`
    const bytes = (secret: string) => Buffer.from(`${before}${secret.toWellFormed()}z`)
    const long = (secret: string) =>
      Buffer.concat([
        Buffer.from(before.padStart(45 + before.length, '-')),
        bytesOf(secret),
        Buffer.alloc(40, 'z'),
      ])
    const base64 = (secret: string) => bytes(secret).toString('base64')
    return [
      { name: `base64${shift}`, write: base64 },
      { name: `base64url${shift}`, write: (secret) => bytes(secret).toString('base64url') },
      {
        name: `base64 of JSON${shift}`,
        write: (secret) => Buffer.from(before + jsonOf(secret)).toString('base64'),
      },
      {
        name: `base64 of UTF-16${shift}`,
        write: (secret) => Buffer.concat([Buffer.from(before), utf16(secret, false)]).toString('base64'),
      },
      { name: `base64 in JSON with \\/${shift}`, write: (secret) => base64(secret).replaceAll('/', '\\/') },
      { name: `base64 in an address${shift}`, write: (secret) => encodeURIComponent(base64(secret)) },
      ...[76, 64].flatMap((width) =>
        ['\r\n', '\n'].flatMap((end): Spelling[] => {
          const mime = (secret: string) => lines(long(secret).toString('base64'), width, end)
          const kind = `${width}, ${end === '\n' ? 'LF' : 'CR LF'}${shift}`
          return [
            { name: `MIME ${kind}`, write: mime },
            { name: `MIME in JSON ${kind}`, write: (secret) => jsonOf(mime(secret)) },
            {
              name: `base64 of MIME ${kind}`,
              write: (secret) => Buffer.from(mime(secret)).toString('base64'),
            },
          ]
        }),
      ),
      ...befores.flatMap((outer): Spelling[] => {
        const twice = (secret: string) => Buffer.from(outer + base64(secret))
        const kind = `${shift} and ${outer.length}`
        return [
          { name: `base64 of base64${kind}`, write: (secret) => twice(secret).toString('base64') },
          { name: `base64url of base64${kind}`, write: (secret) => twice(secret).toString('base64url') },
          {
            name: `base64 of base64url${kind}`,
            write: (secret) => Buffer.from(outer + bytes(secret).toString('base64url')).toString('base64'),
          },
        ]
      }),
      { name: `hex of base64${shift}`, write: (secret) => Buffer.from(base64(secret)).toString('hex') },
      {
        name: `base64 of hex${shift}`,
        write: (secret) => Buffer.from(before + bytesOf(secret).toString('hex')).toString('base64'),
      },
    ]
  }),
]

/** Where a character of the text is one of the secret, so that nothing around it is touched. */
export const characterSpellings: readonly Spelling[] = [...perCharacter, mixed]
/** Where bytes of the secret are mixed with others. */
export const encodedSpellings: readonly Spelling[] = encoded

export const spelledSecrets: Record<string, string> = {
  'letters and digits': `canary${randomBytes(12).toString('hex')}`,
  'all signs': `p&ss/w"rd+'<ü>-77`,
  'four characters': 'q9Z!',
  'spellings as they are': 'C:\\new\\%41&amp;=3D\\u0041zz',
  'other letters': 'Пароль€😀geheim',
  'a key of many lines': `-----BEGIN KEY-----\n${lines(randomBytes(900).toString('base64'), 64, '\n')}\n-----END KEY-----\n`,
}
