/**
 * What an answer of an authority (OCSP, RFC 6960) that a server sends along with its certificate says of it. Nobody checks its
 * signature: who has finished the handshake has the key of the certificate, and nobody else could have put the answer there.
 * Pure.
 */

/** One value in DER (X.690): what it is, and its bytes. */
type Value = { tag: number; content: Buffer }

const tags = { sequence: 0x30, octets: 0x04, integer: 0x02, revoked: 0xa1, explicit: 0xa0 }

/** What an authority may say of a certificate. */
type OcspStatus = 'good' | 'revoked' | 'unknown'

const words = new Map<number, OcspStatus>([
  [0x80, 'good'],
  [tags.revoked, 'revoked'],
  [0x82, 'unknown'],
])

/** What the answer says of the certificate with this number, as hexadecimal digits. Null: nothing that could be read. */
export const ocspStatusOf = (answer: Buffer, serialNumber: string): OcspStatus | null => {
  try {
    const found = statuses(answer).find(({ serial }) => serial === plainNumber(serialNumber))
    return words.get(found?.status ?? 0) ?? null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

export const callsRevoked = (answer: Buffer, serialNumber: string): boolean =>
  ocspStatusOf(answer, serialNumber) === 'revoked'

/** OCSPResponse, its ResponseBytes, BasicOCSPResponse, ResponseData, and each SingleResponse of it. */
const statuses = (answer: Buffer): { serial: string; status: number }[] => {
  const bytes = inside(inside(answer), tags.explicit)
  const basic = inside(inside(bytes), tags.octets)
  const data = inside(inside(basic))
  const responses = valuesIn(data).find(({ tag, content }) => tag === tags.sequence && isList(content))
  return valuesIn(responses?.content ?? Buffer.alloc(0)).map(({ content }) => {
    const [id, status] = valuesIn(content)
    const serial = valuesIn(id?.content ?? Buffer.alloc(0)).find(({ tag }) => tag === tags.integer)
    return { serial: plainNumber(serial?.content.toString('hex') ?? ''), status: status?.tag ?? 0 }
  })
}

/** Extensions are sequences as well, and what is in them begins with a name, not with a sequence. */
const isList = (content: Buffer): boolean =>
  valuesIn(valuesIn(content)[0]?.content ?? content)[0]?.tag === tags.sequence

/** The first value of that kind. */
const inside = (bytes: Buffer, tag = tags.sequence): Buffer => {
  const found = valuesIn(bytes).find((value) => value.tag === tag)
  if (found === undefined) throw new RangeError('no such value')
  return found.content
}

const valuesIn = (bytes: Buffer): Value[] => {
  const values: Value[] = []
  for (let at = 0; at < bytes.length; ) {
    const { start, length } = lengthAt(bytes, at + 1)
    if (start + length > bytes.length) throw new RangeError('the value is cut off')
    values.push({ tag: bytes.readUInt8(at), content: bytes.subarray(start, start + length) })
    at = start + length
  }
  return values
}

/** Up to 127 it is its own byte; above, the byte says how many follow. */
const lengthAt = (bytes: Buffer, at: number): { start: number; length: number } => {
  const first = bytes.readUInt8(at)
  if (first < 0x80) return { start: at + 1, length: first }
  const size = first & 0x7f
  return { start: at + 1 + size, length: bytes.readUIntBE(at + 1, size) }
}

/** Without the zeros before it, one of which keeps a large number from being negative. */
const plainNumber = (hexadecimal: string): string => hexadecimal.toLowerCase().replace(/^0+/, '')
