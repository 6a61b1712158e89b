/** The bytes of a secret that a text is searched for, once every character and every run of base64 or hex is decoded. Pure. */

/** Shorter ones would take ordinary words out. */
export const shortestSecret = 4

/**
 * In UTF-8 in all cases (the case of ASCII letters is left to the index), in UTF-16 where that is more than UTF-8 with
 * zeros between, and without the line breaks, which a log does not keep.
 */
export const secretForms = (value: string): Uint8Array[] => {
  if (/^[\x01-\x09\x0b\x0c\x0e-\x7f]*$/.test(value)) return [asciiBytes(value)]
  const isAscii = /^[\x00-\x7f]*$/.test(value)
  const inCases = isAscii ? [value] : [value, value.toLowerCase(), value.toUpperCase()]
  const cases = [...new Set(inCases.map((one) => one.toWellFormed()))]
  const [own, ...others] = [
    ...cases.map((one) => encoder.encode(one)),
    ...(/[^\x00-\xff]/.test(value) ? cases.flatMap((one) => [utf16(one, true), utf16(one, false)]) : []),
  ].flatMap((bytes) => [bytes, bytes.filter((byte) => !isSkipped(byte))])
  return [own as Uint8Array, ...others.filter(({ length }) => length >= shortestSecret)]
}

/** What may stand between two bytes of a secret: the other half of a character in UTF-16, and breaks of lines. */
export const isSkipped = (byte: number): boolean => byte === 0 || byte === 10 || byte === 13

/** Of short texts faster than an encoder. */
const asciiBytes = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
  return bytes
}

const encoder = new TextEncoder()

const utf16 = (text: string, isLittleEndian: boolean): Uint8Array => {
  const bytes = new DataView(new ArrayBuffer(2 * text.length))
  for (let at = 0; at < text.length; at += 1) bytes.setUint16(2 * at, text.charCodeAt(at), isLittleEndian)
  return new Uint8Array(bytes.buffer)
}
