/** Many documents of one check as one compressed text, a line each. Pure. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** The end of an id, which is random: enough to tell the few documents of a block apart. */
const idBytes = 4

/** What zlib allots at a time, freed by the next collection only: a block fits into one, its documents mostly, too. */
/** A level that takes 7 % fewer bytes than the default one, and no more time for texts as short. */
const params = { [constants.ZSTD_c_compressionLevel]: 6 }
const compressed = { chunkSize: 8192, params }
const opened = { chunkSize: 65_536 }

export type PackedDocuments = { ids: Buffer; block: Buffer }

/** The last digits of an id, as blocks name it. */
export const tailOf = (id: string): string => id.slice(-2 * idBytes)

/** A document that those of the block resemble: without one the first of them takes as much as ten others. */
export type Beside = string | null

const besideOf = (beside: Beside) => (beside === null ? {} : { dictionary: Buffer.from(beside) })

/** `docs`: JSON, which has no line breaks of its own. */
export const packDocuments = (
  ids: readonly string[],
  docs: readonly string[],
  beside: Beside,
): PackedDocuments => ({
  ids: Buffer.from(ids.map(tailOf).join(''), 'hex'),
  block: zstdCompressSync(docs.join('\n'), { ...compressed, ...besideOf(beside) }),
})

const documentsIn = (block: Buffer, beside: Beside): string[] =>
  zstdDecompressSync(block, { ...opened, ...besideOf(beside) })
    .toString()
    .split('\n')

/** Of a block that is not packed beside another one. */
export const firstDocument = ({ block }: Pick<PackedDocuments, 'block'>): string =>
  documentsIn(block, null)[0] ?? ''

/** By the ends of their ids. */
export const unpackDocuments = ({ ids, block }: PackedDocuments, beside: Beside): Map<string, string> => {
  const docs = documentsIn(block, beside)
  const tails = ids.toString('hex')
  return new Map(docs.map((doc, n) => [tails.slice(n * 2 * idBytes, (n + 1) * 2 * idBytes), doc]))
}
