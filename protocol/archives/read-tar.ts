import { BundleError } from './entry-path.ts'
import { blockBytes, readHeader, readPaxRecords, type TarHeader } from './tar-header.ts'

/** `body` has to be read to its end before the next entry is asked for. */
export type TarEntry = TarHeader & { body(): AsyncGenerator<Buffer> }

/** Headers that only say how the next entry is called. */
const maxNoteBytes = 64 * 1024
const globalNote = 'g'
const nextNote = 'x'
const longName = 'L'
const longTarget = 'K'

/** The entries of an archive that comes in any pieces. */
export async function* readTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const source = createReader(chunks)
  let notes: Partial<TarHeader> = {}
  for (;;) {
    const block = await source.take(blockBytes)
    const header = block === null ? null : readHeader(block)
    if (header === null) return
    const padding = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes
    if ([globalNote, nextNote, longName, longTarget].includes(header.type)) {
      if (header.size > maxNoteBytes) throw new BundleError('It has a name that is too long')
      const bytes = await source.need(header.size)
      await source.need(padding(header.size))
      notes = { ...notes, ...noteOf(header.type, bytes) }
      continue
    }
    const entry = { ...header, ...notes }
    notes = {}
    let isRead = false
    yield {
      ...entry,
      body: async function* () {
        isRead = true
        yield* source.pieces(entry.size)
      },
    }
    if (!isRead) for await (const _ of source.pieces(entry.size));
    await source.need(padding(entry.size))
  }
}

const noteOf = (type: string, bytes: Buffer): Partial<TarHeader> => {
  if (type === globalNote) return {}
  const name = bytes.toString('utf8').replace(/\0+$/, '')
  if (type === longName) return { path: name }
  if (type === longTarget) return { target: name }
  const records = readPaxRecords(bytes)
  const path = records.get('path')
  const target = records.get('linkpath')
  const size = records.get('size')
  if (size !== undefined && !/^\d{1,15}$/.test(size)) throw new BundleError('It has a size that is none')
  return {
    ...(path === undefined ? {} : { path }),
    ...(target === undefined ? {} : { target }),
    ...(size === undefined ? {} : { size: Number(size) }),
  }
}

/** Bytes in the pieces that are asked for. */
const createReader = (chunks: AsyncIterable<Buffer>) => {
  const iterator = chunks[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  const more = async (): Promise<boolean> => {
    const { done, value } = await iterator.next()
    if (done === true) return false
    rest = value
    return true
  }
  async function* pieces(bytes: number): AsyncGenerator<Buffer> {
    for (let left = bytes; left > 0; ) {
      if (rest.length === 0 && !(await more())) throw new BundleError('It ends in the middle of a file')
      const piece = rest.subarray(0, left)
      rest = rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }
  const need = async (bytes: number): Promise<Buffer> => {
    const parts: Buffer[] = []
    for await (const piece of pieces(bytes)) parts.push(piece)
    return Buffer.concat(parts)
  }
  return {
    pieces,
    need,
    /** Null at the end. */
    take: async (bytes: number): Promise<Buffer | null> => {
      while (rest.length === 0) if (!(await more())) return null
      return need(bytes)
    },
  }
}
