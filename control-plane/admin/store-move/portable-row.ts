/** A row as both engines would tell it, and its share of a table's checksum. Pure. */
import { hash } from 'node:crypto'
import type { TableShape } from './table-shapes.ts'

/** Bytes and ids as hex digits behind a mark that no text of ours begins with. */
export type PortableValue = string | number | null | { hex: string }
export type PortableRow = PortableValue[]

/** In the order of the shape's columns. */
export const portableRow = ({ columns }: TableShape, row: Readonly<Record<string, unknown>>): PortableRow =>
  columns.map(({ name, kind }) => portableValue(row[name], kind === 'uuid'))

const portableValue = (value: unknown, isUuid: boolean): PortableValue => {
  if (value === null || typeof value === 'number') return value
  // As columns hold them (booleans.ts).
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string') return isUuid ? { hex: value.replaceAll('-', '') } : value
  if (Buffer.isBuffer(value)) return { hex: value.toString('hex') }
  throw new Error(`A column holds a ${typeof value}, which no store of ours has`)
}

const replacement = '\ufffd'

/** PostgreSQL's text holds no NUL, and no half of a pair; SQLite's text may. */
export const storableText = (text: string): string => text.replaceAll('\0', replacement).toWellFormed()

/** The number of rows, and the sum of their hashes: the same in whatever order they are read. */
export type TableSum = { rows: number; words: Uint32Array }

const wordCount = 4

export const emptySum = (): TableSum => ({ rows: 0, words: new Uint32Array(wordCount) })

export const addRow = (sum: TableSum, row: PortableRow): void => {
  const digest = hash('sha256', JSON.stringify(row), 'buffer')
  sum.rows += 1
  // Each word wraps by itself.
  for (let n = 0; n < wordCount; n++) sum.words[n] = (sum.words[n] ?? 0) + digest.readUInt32LE(4 * n)
}

export const checksumOf = ({ words }: TableSum): string => Buffer.from(words.buffer).toString('hex')
