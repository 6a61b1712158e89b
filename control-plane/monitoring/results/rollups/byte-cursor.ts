/** Numbers as bytes: whole ones take as few as they need, all others eight. */

export type Writer = { bytes: number[] }

export const newWriter = (): Writer => ({ bytes: [] })

/** A whole number from 0 to 2^53. */
export const writeCount = ({ bytes }: Writer, value: number): void => {
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) + 128)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
}

/** A whole number on either side of zero. */
export const writeSigned = (writer: Writer, value: number): void =>
  writeCount(writer, value < 0 ? -2 * value - 1 : 2 * value)

export const writeFloat = ({ bytes }: Writer, value: number): void => {
  const eight = new Uint8Array(new Float64Array([value]).buffer)
  for (const byte of eight) bytes.push(byte)
}

export const writeText = (writer: Writer, text: string): void => {
  const encoded = Buffer.from(text)
  writeCount(writer, encoded.length)
  for (const byte of encoded) writer.bytes.push(byte)
}

export type Reader = { bytes: Buffer; at: number }

export const readByte = (reader: Reader): number => {
  const byte = reader.bytes[reader.at]
  if (byte === undefined) throw new Error('A stored rollup ends too early')
  reader.at += 1
  return byte
}

export const readCount = (reader: Reader): number => {
  let byte = readByte(reader)
  if (byte < 128) return byte
  let value = byte - 128
  let factor = 128
  do {
    byte = readByte(reader)
    value += (byte % 128) * factor
    factor *= 128
  } while (byte >= 128)
  return value
}

export const readSigned = (reader: Reader): number => {
  const value = readCount(reader)
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2
}

export const readFloat = (reader: Reader): number => {
  const value = reader.bytes.readDoubleLE(reader.at)
  reader.at += 8
  return value
}

export const readText = (reader: Reader): string => {
  const length = readCount(reader)
  reader.at += length
  return reader.bytes.toString('utf8', reader.at - length, reader.at)
}

export const skipText = (reader: Reader): void => {
  const length = readCount(reader)
  reader.at += length
}
