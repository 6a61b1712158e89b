/**
 * Many texts in little memory: some dozens of them are compressed as one block, since orders of an account are alike (1000 B each take 40 in
 * company, and half of it alone). A block of which half has gone is packed anew with those that come next.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** A text that is kept. It moves when its block is packed anew. */
export type KeptText = { block: Block; index: number }

type Block = {
  /** Null: it is packed. */
  texts: string[] | null
  packed: Uint8Array
  /** By their place in the block; null: it has gone. */
  members: (KeptText | null)[]
  live: number
  lastRead: LastRead
}

/** Who reads all of them reads those of a block one after the other. */
type LastRead = { block: Block | null; texts: readonly string[] }

type PackedTexts = {
  /** It has no line breaks. */
  add(text: string): KeptText
  remove(kept: KeptText): void
  clear(): void
  bytes(): number
}

/** Of more, one that is read takes longer, and they take little less (29 B in place of 41). */
const textsOfBlock = 32
const lengthOfBlock = 64 * 1024

type State = { open: Block; openLength: number; bytes: number; lastRead: LastRead }

export const createPackedTexts = (): PackedTexts => {
  const lastRead: LastRead = { block: null, texts: [] }
  const state: State = { open: newBlock(lastRead), openLength: 0, bytes: 0, lastRead }
  return {
    add: (text) => {
      const kept: KeptText = { block: state.open, index: 0 }
      place(state, kept, text)
      return kept
    },
    remove: (kept) => remove(state, kept),
    clear: () => {
      Object.assign(lastRead, { block: null, texts: [] })
      Object.assign(state, { open: newBlock(lastRead), openLength: 0, bytes: 0 })
    },
    bytes: () => state.bytes,
  }
}

export const readText = ({ block, index }: KeptText): string => textsOf(block)[index] ?? ''

const newBlock = (lastRead: LastRead): Block => ({
  texts: [],
  packed: new Uint8Array(),
  members: [],
  live: 0,
  lastRead,
})

const textsOf = (block: Block): readonly string[] => {
  if (block.texts !== null) return block.texts
  const { lastRead } = block
  if (lastRead.block !== block) {
    lastRead.texts = zstdDecompressSync(block.packed).toString().split('\n')
    lastRead.block = block
  }
  return lastRead.texts
}

const place = (state: State, kept: KeptText, text: string): void => {
  const { open } = state
  kept.block = open
  kept.index = open.members.push(kept) - 1
  open.texts?.push(text)
  open.live += 1
  state.openLength += text.length
  state.bytes += text.length
  if (open.members.length >= textsOfBlock || state.openLength >= lengthOfBlock) pack(state)
}

const params = { [constants.ZSTD_c_compressionLevel]: 1 }

const pack = (state: State): void => {
  const { open } = state
  const packed = zstdCompressSync((open.texts ?? []).join('\n'), { params })
  // A copy: what zlib returns is a piece of a larger buffer.
  open.packed = new Uint8Array(packed)
  open.texts = null
  state.bytes += packed.length - state.openLength
  state.open = newBlock(state.lastRead)
  state.openLength = 0
}

const remove = (state: State, { block, index }: KeptText): void => {
  block.members[index] = null
  block.live -= 1
  if (block.texts !== null) {
    const length = block.texts[index]?.length ?? 0
    block.texts[index] = ''
    state.openLength -= length
    state.bytes -= length
    return
  }
  if (block.live * 2 > block.members.length) return
  const texts = textsOf(block)
  state.bytes -= block.packed.length
  const { members } = block
  block.members = []
  for (const [at, kept] of members.entries()) if (kept !== null) place(state, kept, texts[at] ?? '')
  if (state.lastRead.block === block) Object.assign(state.lastRead, { block: null, texts: [] })
}
