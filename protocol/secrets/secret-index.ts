/**
 * Many secrets as one automaton over bytes: however many there are, a byte is looked up once. Pure.
 *
 * A tree as far as secrets have their beginnings in common; what is then one secret's alone is compared with its bytes.
 */

/** Where one is in some secret: at a node of the tree (0 is its root), or, below zero, in the rest of one secret. */
export type SecretState = number

/** No secret goes on like this. */
export const dead: SecretState = 0x7fffffff

export type SecretIndex = {
  /** A byte as it is compared: with or without its case. */
  fold: Uint8Array
  /** By the first byte. */
  root: Int32Array
  /** A hash table: keys are a node and a byte. */
  keys: Int32Array
  states: Int32Array
  /** Nodes at which a secret ends. */
  ends: Uint8Array
  /** The bytes of all secrets, each with `endMark` behind it. */
  bytes: Uint16Array
  /** Lengths in bytes. */
  shortest: number
  longest: number
  hasNonAscii: boolean
}

const endMark = 256
const noKey = -1

const table = (fold: (byte: number) => number): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => fold(byte))

/** Letters of ASCII in any case are the same. */
export const anyCase = table((byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte))
export const exactCase = table((byte) => byte)

export const createSecretIndex = (forms: readonly Uint8Array[], fold: Uint8Array): SecretIndex => {
  const bytes = pool(forms, fold)
  const edges = new Map<number, SecretState>()
  const ends: number[] = [0]
  let from = 0
  for (const { length } of forms) {
    insert({ edges, ends, bytes }, from)
    from += length + 1
  }
  const lengths = forms.map(({ length }) => length)
  return {
    fold,
    ...hashTable(edges),
    ends: Uint8Array.from(ends),
    bytes,
    shortest: lengths.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    longest: lengths.reduce((a, b) => Math.max(a, b), 0),
    hasNonAscii: bytes.some((byte) => byte >= 128 && byte !== endMark),
  }
}

const pool = (forms: readonly Uint8Array[], fold: Uint8Array): Uint16Array => {
  const bytes = new Uint16Array(forms.reduce((sum, { length }) => sum + length + 1, 0))
  let at = 0
  for (const form of forms) {
    for (const byte of form) bytes[at++] = fold[byte] as number
    bytes[at++] = endMark
  }
  return bytes
}

type Tree = { edges: Map<number, SecretState>; ends: number[]; bytes: Uint16Array }

const insert = ({ edges, ends, bytes }: Tree, from: number): void => {
  let node = 0
  for (let at = from; ; at += 1) {
    const byte = bytes[at] as number
    if (byte === endMark) {
      ends[node] = 1
      return
    }
    const key = node * 256 + byte
    const next = edges.get(key)
    if (next === undefined) {
      edges.set(key, ~(at + 1))
      return
    }
    node = next >= 0 ? next : ends.push(0) - 1
    if (next >= 0) continue
    // Another secret had this to itself: it moves one byte down.
    edges.set(key, node)
    const other = ~next
    if (bytes[other] === endMark) ends[node] = 1
    else edges.set(node * 256 + (bytes[other] as number), ~(other + 1))
  }
}

const hashTable = (edges: Map<number, SecretState>): Pick<SecretIndex, 'root' | 'keys' | 'states'> => {
  const root = new Int32Array(256).fill(dead)
  const size = 2 ** Math.ceil(Math.log2(2 * edges.size + 2))
  const keys = new Int32Array(size).fill(noKey)
  const states = new Int32Array(size)
  for (const [key, state] of edges) {
    if (key < 256) root[key] = state
    let slot = slotOf(key, size)
    while (keys[slot] !== noKey) slot = (slot + 1) & (size - 1)
    keys[slot] = key
    states[slot] = state
  }
  return { root, keys, states }
}

const slotOf = (key: number, size: number): number => {
  const mixed = Math.imul(key, 0x9e3779b1)
  return (mixed ^ (mixed >>> 15)) & (size - 1)
}

export const afterByte = (index: SecretIndex, state: SecretState, byte: number): SecretState => {
  const folded = index.fold[byte] as number
  if (state < 0) return index.bytes[~state] === folded ? state - 1 : dead
  if (state === 0) return index.root[folded] as number
  const { keys } = index
  const key = state * 256 + folded
  let slot = slotOf(key, keys.length)
  for (;;) {
    const found = keys[slot]
    if (found === key) return index.states[slot] as number
    if (found === noKey) return dead
    slot = (slot + 1) & (keys.length - 1)
  }
}

export const endsSecret = (index: SecretIndex, state: SecretState): boolean =>
  state < 0 ? index.bytes[~state] === endMark : index.ends[state] === 1
