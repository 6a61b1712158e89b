/** Texts in quotes, as zone files write them (RFC 1035 section 5.1): what is no printable ASCII by its number. Pure. */

/** Without the quotes around it. */
export const escaped = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) {
    const character = String.fromCharCode(byte)
    if (byte < 0x20 || byte > 0x7e) text += `\\${String(byte).padStart(3, '0')}`
    else text += character === '"' || character === '\\' ? `\\${character}` : character
  }
  return text
}

export const quoted = (bytes: Uint8Array): string => `"${escaped(bytes)}"`

/** The text that `quoted` has put in quotes. */
export const unquoted = (text: string): string => {
  const bytes = text
    .replace(/^"|"$/g, '')
    .replace(/\\(\d{3}|.)/g, (_, what: string) =>
      what.length === 3 ? String.fromCharCode(Number(what)) : what,
    )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
