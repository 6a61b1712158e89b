/** Ids in 16 bytes each: as text, an hour of ten thousand checks would be 300 MB of them. Pure. */
import { bytesOfId, idOf } from './small-row.ts'

export type IdList = { bytes: Buffer; count: number }

const idBytes = 16
const idsAtFirst = 8

export const emptyList = (): IdList => ({ bytes: Buffer.alloc(idsAtFirst * idBytes), count: 0 })

export const addId = (list: IdList, id: string): void => {
  const at = list.count * idBytes
  if (at === list.bytes.length) list.bytes = Buffer.concat([list.bytes], 2 * at)
  bytesOfId(id).copy(list.bytes, at)
  list.count += 1
}

/** From `from` until before `to`. */
export const idsIn = ({ bytes }: IdList, { from, to }: { from: number; to: number }): string[] =>
  Array.from({ length: to - from }, (_, n) =>
    idOf(bytes.subarray((from + n) * idBytes, (from + n + 1) * idBytes)),
  )
