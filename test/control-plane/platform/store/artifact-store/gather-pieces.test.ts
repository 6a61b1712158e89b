import { Readable } from 'node:stream'
import t from 'tap'
import { createByteBudget } from '../../../../../control-plane/platform/store/artifact-store/byte-budget.ts'
import { gatherPieces } from '../../../../../control-plane/platform/store/artifact-store/gather-pieces.ts'

const never = 2 ** 30
const noSleep = () => new Promise<void>(() => undefined)

type Options = { first?: string; most?: number }

/** The pieces of four bytes, how it ended, and what is still held then. */
const gathered = async (chunks: AsyncIterable<Uint8Array>, options: Options = {}) => {
  const { first = '', most = never } = options
  const pieces: string[] = []
  let held = 0
  const { take, give } = createByteBudget(most)
  const budget = {
    take: (bytes: number) => {
      const taken = take(bytes)
      if (taken) held += bytes
      return taken
    },
    give: (bytes: number) => {
      held -= bytes
      give(bytes)
    },
  }
  const gathering = { size: 4, first: Buffer.from(first), budget, pauses: { firstMs: 1, sleep: noSleep } }
  try {
    for await (const piece of gatherPieces(chunks, gathering)) pieces.push(Buffer.from(piece).toString())
    return { pieces, held, error: null }
  } catch (error) {
    return { pieces, held, error: (error as Error).message }
  }
}

const chunksOf = (...texts: string[]) => Readable.from(texts.map((text) => Buffer.from(text)))

t.test('chunks of any size become pieces of one', async (t) => {
  for (const [texts, pieces] of [
    [[], []],
    [['a'], ['a']],
    [['abcd'], ['abcd']],
    [['ab', 'cd'], ['abcd']],
    [
      ['abc', 'defghijkl', 'm'],
      ['abcd', 'efgh', 'ijkl', 'm'],
    ],
  ] as const)
    t.strictSame(await gathered(chunksOf(...texts)), { pieces, held: 0, error: null })
})

t.test('the first piece begins with what is there, and comes only when there is more', async (t) => {
  t.strictSame((await gathered(chunksOf('cde'), { first: 'ab' })).pieces, ['abcd', 'e'])
  t.strictSame(await gathered(chunksOf(), { first: 'ab' }), { pieces: [], held: 0, error: null })
})

t.test('what had come before a failure is a piece', async (t) => {
  const breaking = async function* () {
    yield Buffer.from('abcdef')
    throw new Error('the connection broke')
  }
  t.strictSame(await gathered(breaking()), {
    pieces: ['abcd', 'ef'],
    held: 0,
    error: 'the connection broke',
  })
})

t.test('what comes slowly is a piece for now, and again when there is more', async (t) => {
  const more = Promise.withResolvers<void>()
  const slow = async function* () {
    yield Buffer.from('ab')
    await more.promise
    yield Buffer.from('c')
  }
  const pieces: string[] = []
  const budget = createByteBudget(never)
  for await (const piece of gatherPieces(slow(), {
    size: 4,
    first: Buffer.alloc(0),
    budget,
    pauses: { firstMs: 1, sleep: async () => undefined },
  })) {
    pieces.push(Buffer.from(piece).toString())
    more.resolve()
  }
  t.strictSame(pieces, ['ab', 'abc'])
})

t.test('what would hold too much ends with what has come so far, and gives all back', async (t) => {
  const { pieces, held, error } = await gathered(chunksOf('ab', 'c', 'd'), { most: 3 })
  t.strictSame({ pieces, held }, { pieces: ['abc'], held: 0 })
  t.match(error, /all the memory/)
  t.strictSame((await gathered(chunksOf('abcd', 'efgh', 'ij'), { most: 4 })).pieces, ['abcd', 'efgh', 'ij'])
})
