/**
 * A row of the rollups: of one check, one number and one hour or day, a sketch for each *cell*. A cell is a location, passed
 * or failed, and what else the type's runs are told apart by: the HTTP status, the state of a heartbeat, the page; in a row of
 * quarters, the quarter of the hour, too. Pure.
 */
import {
  newWriter,
  type Reader,
  readByte,
  readCount,
  readText,
  skipText,
  type Writer,
  writeCount,
  writeText,
} from './byte-cursor.ts'
import { addSketch, addValue, newSketch, type Sketch } from './sketch.ts'
import { addSketchBytes, skipSketchBytes, writeSketch } from './sketch-bytes.ts'

/** `quarter` is 0 where the row is not of quarters. */
export type CellKey = { location: string; passed: boolean; key: string | null; quarter: number }
export type Cells = Map<string, CellKey & { sketch: Sketch }>

/** Of the format; another one is refused by programs that do not know it. */
const version = 1
const passedFlag = 1
const keyFlag = 2
const firstQuarterBit = 4
const quarters = 4
/** Location and key are those of the cell before. */
const sameNamesFlag = firstQuarterBit * quarters

const sketchOf = (cells: Cells, { location, passed, key, quarter }: CellKey): Sketch => {
  const id = `${passed ? 1 : 0}${key === null ? 0 : 1}${quarter}${location}\n${key ?? ''}`
  const known = cells.get(id)
  if (known !== undefined) return known.sketch
  const sketch = newSketch()
  cells.set(id, { location, passed, key, quarter, sketch })
  return sketch
}

export const addToCell = (cells: Cells, key: CellKey, values: readonly number[]): void => {
  if (values.length === 0) return
  const sketch = sketchOf(cells, key)
  for (const value of values) addValue(sketch, value)
}

/** `into`: the cell that each goes into. */
export const addCells = (
  target: Cells,
  other: Cells,
  into: (key: CellKey) => CellKey = (key) => key,
): void => {
  for (const cell of other.values()) addSketch(sketchOf(target, into(cell)), cell.sketch)
}

export const addCellBytes = (
  target: Cells,
  bytes: Buffer,
  into: (key: CellKey) => CellKey = (key) => key,
): void => eachCell(bytes, (cell, reader) => addSketchBytes(sketchOf(target, into(cell)), reader))

export const wholeHour = (key: CellKey): CellKey => ({ ...key, quarter: 0 })

/** What is left of an hour's cells with age: passed and failed. */
export const merged = ({ passed }: CellKey): CellKey => ({ location: '', passed, key: null, quarter: 0 })

const namesOf = ({ location, key }: CellKey): string => `${location}\n${key === null ? '' : `=${key}`}`

export const writeCells = (cells: Cells): Buffer => {
  const writer = newWriter()
  writer.bytes.push(version)
  writeCount(writer, cells.size)
  for (const ofNames of Map.groupBy(cells.values(), namesOf).values()) writeNamed(writer, ofNames)
  return Buffer.from(writer.bytes)
}

/** Cells of the same names. */
const writeNamed = (writer: Writer, cells: readonly (CellKey & { sketch: Sketch })[]): void => {
  for (const [at, { location, passed, key, quarter, sketch }] of cells.entries()) {
    const flags = (passed ? passedFlag : 0) + quarter * firstQuarterBit
    if (at > 0) writer.bytes.push(flags + sameNamesFlag)
    else {
      writer.bytes.push(flags + (key === null ? 0 : keyFlag))
      writeText(writer, location)
      if (key !== null) writeText(writer, key)
    }
    writeSketch(writer, sketch)
  }
}

/** `read` has to go past the cell's sketch, or to say that it did not want it by leaving the reader where it was. */
export const eachCell = (bytes: Buffer, read: (cell: CellKey, reader: Reader) => void): void => {
  let names: Pick<CellKey, 'location' | 'key'> = { location: '', key: null }
  eachSketch(bytes, (reader, flags) => {
    if (!(flags & sameNamesFlag))
      names = { location: readText(reader), key: flags & keyFlag ? readText(reader) : null }
    const { at } = reader
    read({ ...names, ...verdictOf(flags) }, reader)
    if (reader.at === at) skipSketchBytes(reader)
  })
}

const verdictOf = (flags: number): Pick<CellKey, 'passed' | 'quarter'> => ({
  passed: (flags & passedFlag) > 0,
  quarter: Math.floor(flags / firstQuarterBit) % quarters,
})

/** The same where the names of a cell are not asked for, which cost more than its sketch. */
export const eachVerdict = (
  bytes: Buffer,
  read: (verdict: Pick<CellKey, 'passed' | 'quarter'>, reader: Reader) => void,
): void =>
  eachSketch(bytes, (reader, flags) => {
    if (!(flags & sameNamesFlag)) {
      skipText(reader)
      if (flags & keyFlag) skipText(reader)
    }
    read(verdictOf(flags), reader)
  })

const eachSketch = (bytes: Buffer, read: (reader: Reader, flags: number) => void): void => {
  const reader: Reader = { bytes, at: 0 }
  const found = readByte(reader)
  if (found !== version)
    throw new Error(`A stored rollup has version ${found}, and this program knows none but ${version}`)
  for (let left = readCount(reader); left > 0; left -= 1) read(reader, readByte(reader))
}

/** How many values each cell has; no sketch is read for it. */
export const eachCount = (
  bytes: Buffer,
  read: (verdict: Pick<CellKey, 'passed' | 'quarter'>, values: number) => void,
): void =>
  eachVerdict(bytes, (verdict, reader) => {
    const { at } = reader
    const values = readCount(reader)
    reader.at = at
    skipSketchBytes(reader)
    read(verdict, values)
  })

/** The same of all cells together. */
export const valuesIn = (bytes: Buffer): number => {
  let all = 0
  eachCount(bytes, (_, values) => {
    all += values
  })
  return all
}
