/**
 * A row of the rollups: of one check, one number and one hour or day, a sketch for each *cell*. A cell is a location, passed
 * or failed, and what else the type's runs are told apart by: the HTTP status, the state of a heartbeat, the page. Pure.
 */
import {
  newWriter,
  type Reader,
  readByte,
  readCount,
  readText,
  skipText,
  writeCount,
  writeText,
} from './byte-cursor.ts'
import { addSketch, addValue, newSketch, type Sketch } from './sketch.ts'
import { addSketchBytes, skipSketchBytes, writeSketch } from './sketch-bytes.ts'

export type CellKey = { location: string; passed: boolean; key: string | null }
export type Cells = Map<string, CellKey & { sketch: Sketch }>

/** Of the format; another one is refused by programs that do not know it. */
const version = 1
const passedFlag = 1
const keyFlag = 2

const sketchOf = (cells: Cells, { location, passed, key }: CellKey): Sketch => {
  const id = `${passed ? 1 : 0}${key === null ? 0 : 1}${location}\n${key ?? ''}`
  const known = cells.get(id)
  if (known !== undefined) return known.sketch
  const sketch = newSketch()
  cells.set(id, { location, passed, key, sketch })
  return sketch
}

export const addToCell = (cells: Cells, key: CellKey, values: readonly number[]): void => {
  if (values.length === 0) return
  const sketch = sketchOf(cells, key)
  for (const value of values) addValue(sketch, value)
}

export const addCells = (target: Cells, other: Cells): void => {
  for (const cell of other.values()) addSketch(sketchOf(target, cell), cell.sketch)
}

export const addCellBytes = (target: Cells, bytes: Buffer): void =>
  eachCell(bytes, (cell, reader) => addSketchBytes(sketchOf(target, cell), reader))

export const writeCells = (cells: Cells): Buffer => {
  const writer = newWriter()
  writer.bytes.push(version)
  writeCount(writer, cells.size)
  for (const { location, passed, key, sketch } of cells.values()) {
    writer.bytes.push((passed ? passedFlag : 0) + (key === null ? 0 : keyFlag))
    writeText(writer, location)
    if (key !== null) writeText(writer, key)
    writeSketch(writer, sketch)
  }
  return Buffer.from(writer.bytes)
}

/** `read` has to go past the cell's sketch, or to say that it did not want it by leaving the reader where it was. */
export const eachCell = (bytes: Buffer, read: (cell: CellKey, reader: Reader) => void): void =>
  eachSketch(bytes, (reader, flags) => {
    const location = readText(reader)
    const key = flags & keyFlag ? readText(reader) : null
    const { at } = reader
    read({ location, passed: (flags & passedFlag) > 0, key }, reader)
    if (reader.at === at) skipSketchBytes(reader)
  })

/** The same where the names of a cell are not asked for, which cost more than its sketch. */
export const eachVerdict = (bytes: Buffer, read: (passed: boolean, reader: Reader) => void): void =>
  eachSketch(bytes, (reader, flags) => {
    skipText(reader)
    if (flags & keyFlag) skipText(reader)
    read((flags & passedFlag) > 0, reader)
  })

const eachSketch = (bytes: Buffer, read: (reader: Reader, flags: number) => void): void => {
  const reader: Reader = { bytes, at: 0 }
  const found = readByte(reader)
  if (found !== version)
    throw new Error(`A stored rollup has version ${found}, and this program knows none but ${version}`)
  for (let left = readCount(reader); left > 0; left -= 1) read(reader, readByte(reader))
}

/** How many values a row has in all its cells; no sketch is read for it. */
export const valuesIn = (bytes: Buffer): number => {
  let values = 0
  eachVerdict(bytes, (_, reader) => {
    const { at } = reader
    values += readCount(reader)
    reader.at = at
    skipSketchBytes(reader)
  })
  return values
}
