/** Helpers that make values: random ones and dates. The clock and the randomness are given. */
import { formatDate } from './dates.ts'
import type { World } from './template.ts'

type Options = { hash: Record<string, unknown> }

export const valueHelpers = ({
  now,
  randomBytes,
}: World): Record<string, (...given: unknown[]) => unknown> => {
  const date = (...given: unknown[]): string => {
    const { hash } = given.at(-1) as Options
    const values = given
      .slice(0, -1)
      .map((value) => (value === null || value === undefined ? '' : String(value)))
    const [first = '', second] = values
    const format = second ?? (values.length === 1 ? first : String(hash['format'] ?? ''))
    return formatDate({ when: second === undefined ? '' : first, format, now })
  }
  return {
    $UUID: () => uuidV4(randomBytes(16)),
    $RANDOM_NUMBER: () => randomBytes(4).readUInt32BE() % 10_001,
    year: () => new Date(now).getUTCFullYear(),
    moment: date,
    date,
  }
}

/** RFC 9562 section 5.4. */
const uuidV4 = (bytes: Buffer): string => {
  const made = Buffer.from(bytes)
  made.writeUInt8((made.readUInt8(6) & 0x0f) | 0x40, 6)
  made.writeUInt8((made.readUInt8(8) & 0x3f) | 0x80, 8)
  return made.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
