import { Readable } from 'node:stream'
import t from 'tap'
import { gatherPieces } from '../../../../../control-plane/platform/store/artifact-store/gather-pieces.ts'
import { createSemaphore } from '../../../../../protocol/semaphore.ts'

const never = 2 ** 30
const noSleep = () => new Promise<void>(() => undefined)

type Options = { first?: string; most?: number }

/** The pieces of four bytes, how it ended, and whether all memory is free again then. */
const gathered = async (chunks: AsyncIterable<Uint8Array>, options: Options = {}) => {
  const { first = '', most = never } = options
  const pieces: string[] = []
  const memory = createSemaphore({ total: most })
  const allIsFree = (): boolean => memory.tryAcquire(most) !== null
  const gathering = { size: 4, first: Buffer.from(first), memory, pauses: { firstMs: 1, sleep: noSleep } }
  try {
    for await (const piece of gatherPieces(chunks, gathering)) pieces.push(Buffer.from(piece).toString())
    return { pieces, isFree: allIsFree(), error: null }
  } catch (error) {
    return { pieces, isFree: allIsFree(), error: (error as Error).message }
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
    t.strictSame(await gathered(chunksOf(...texts)), { pieces, isFree: true, error: null })
})

t.test('the first piece begins with what is there, and comes only when there is more', async (t) => {
  t.strictSame((await gathered(chunksOf('cde'), { first: 'ab' })).pieces, ['abcd', 'e'])
  t.strictSame(await gathered(chunksOf(), { first: 'ab' }), { pieces: [], isFree: true, error: null })
})

t.test('what had come before a failure is a piece', async (t) => {
  const breaking = async function* () {
    yield Buffer.from('abcdef')
    throw new Error('the connection broke')
  }
  t.strictSame(await gathered(breaking()), {
    pieces: ['abcd', 'ef'],
    isFree: true,
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
  const memory = createSemaphore({ total: never })
  for await (const piece of gatherPieces(slow(), {
    size: 4,
    first: Buffer.alloc(0),
    memory,
    pauses: { firstMs: 1, sleep: async () => undefined },
  })) {
    pieces.push(Buffer.from(piece).toString())
    more.resolve()
  }
  t.strictSame(pieces, ['ab', 'abc'])
})

t.test('what would hold too much ends with what has come so far, and gives all back', async (t) => {
  const { pieces, isFree, error } = await gathered(chunksOf('ab', 'c', 'd'), { most: 3 })
  t.strictSame({ pieces, isFree }, { pieces: ['abc'], isFree: true })
  t.match(error, /all the memory/)
  t.strictSame((await gathered(chunksOf('abcd', 'efgh', 'ij'), { most: 4 })).pieces, ['abcd', 'efgh', 'ij'])
})
