const beyondAscii = /[\x80-\xff]/

/**
 * A header value as people mean it, from its bytes as Latin-1, which is how HTTP hands them on: what is UTF-8 is read as such
 * (RFC 9110 section 5.5 calls it opaque), anything else stays Latin-1.
 */
export const headerText = (latin1: string): string => {
  if (!beyondAscii.test(latin1)) return latin1
  const bytes = Uint8Array.from(latin1, (character) => character.charCodeAt(0))
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  // Bytes that are no UTF-8 do not come back.
  return latin1Of(new TextEncoder().encode(text)) === latin1 ? text : latin1
}

/** A header value that is an address: its bytes beyond ASCII as an address spells them, whatever their charset. */
export const headerAddress = (latin1: string): string =>
  latin1.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)

/** A character a byte. */
const latin1Of = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}
