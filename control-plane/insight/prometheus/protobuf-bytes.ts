/** Protobuf's bytes, written into one buffer that grows: a large account is hundreds of thousands of small messages. Pure but for its buffer. */
const varintType = 0
const doubleType = 1
const bytesType = 2

type Bytes = {
  readonly length: number
  clear(): void
  /** What was written so far; gone with the next `clear`. */
  view(): Buffer
  varint(value: number): void
  raw(bytes: Uint8Array): void
  /** A field whose bytes follow: its number and how many there will be. */
  begin(id: number, length: number): void
  number(id: number, value: number): void
  double(id: number, value: number): void
  bytes(id: number, bytes: Uint8Array): void
}

/** A field of eight bytes with its tag. */
export const doubleLength = 9

export const createBytes = (): Bytes => {
  let buffer = Buffer.allocUnsafe(1024)
  let length = 0
  const room = (more: number): void => {
    if (length + more <= buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, length + more))
    buffer.copy(larger, 0, 0, length)
    buffer = larger
  }
  const varint = (value: number): void => {
    room(8)
    let rest = value
    while (rest >= 128) {
      buffer[length++] = (rest % 128) + 128
      rest = Math.floor(rest / 128)
    }
    buffer[length++] = rest
  }
  const raw = (bytes: Uint8Array): void => {
    room(bytes.length)
    buffer.set(bytes, length)
    length += bytes.length
  }
  const begin = (id: number, size: number): void => {
    varint(id * 8 + bytesType)
    varint(size)
  }
  return {
    get length() {
      return length
    },
    clear: () => {
      length = 0
    },
    view: () => buffer.subarray(0, length),
    varint,
    raw,
    begin,
    number: (id, value) => {
      varint(id * 8 + varintType)
      varint(value)
    },
    double: (id, value) => {
      room(doubleLength)
      buffer[length] = id * 8 + doubleType
      length = buffer.writeDoubleLE(value, length + 1)
    },
    bytes: (id, bytes) => {
      begin(id, bytes.length)
      raw(bytes)
    },
  }
}

/** Signed numbers as small ones. */
export const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value)
