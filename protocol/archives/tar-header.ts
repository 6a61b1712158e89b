/** One header of a tar archive (POSIX.1-1988 "ustar", with GNU's and pax's long names). Pure. */
import { BundleError } from './entry-path.ts'

export const blockBytes = 512

export type TarHeader = {
  path: string
  size: number
  mode: number
  /** One character. */
  type: string
  target: string
}

/** Null: a block of zeros, of which two end an archive. */
export const readHeader = (block: Buffer): TarHeader | null => {
  if (block.every((byte) => byte === 0)) return null
  if (checksum(block) !== octal(block, 148, 8)) throw new BundleError('It is damaged, or no tar archive')
  const isUstar = block.toString('latin1', 257, 262) === 'ustar'
  const isPosix = isUstar && block[262] === 0
  const prefix = isPosix ? text(block, 345, 155) : ''
  const name = text(block, 0, 100)
  return {
    path: prefix === '' ? name : `${prefix}/${name}`,
    size: octal(block, 124, 12),
    mode: octal(block, 100, 8),
    type: String.fromCharCode(block[156] ?? 0),
    target: text(block, 157, 100),
  }
}

const text = (block: Buffer, start: number, length: number): string => {
  const field = block.subarray(start, start + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end === -1 ? length : end)
}

const octal = (block: Buffer, start: number, length: number): number => {
  const digits = text(block, start, length).trim()
  if (digits !== '' && !/^[0-7]+$/.test(digits)) throw new BundleError('It is damaged, or no tar archive')
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}

/** The field of the sum itself counts as spaces. */
const checksum = (block: Buffer): number =>
  block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0)

/** Records of pax: a length in decimal, a space, a name, an equals sign, a value, a line feed. */
export const readPaxRecords = (bytes: Buffer): ReadonlyMap<string, string> => {
  const records = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at)
    const length = Number(bytes.toString('latin1', at, space))
    const record = bytes.toString('utf8', space + 1, at + length - 1)
    const equals = record.indexOf('=')
    if (space === -1 || !Number.isInteger(length) || length <= space - at + 1 || equals === -1)
      throw new BundleError('It has a long name that cannot be read')
    records.set(record.slice(0, equals), record.slice(equals + 1))
    at += length
  }
  return records
}
