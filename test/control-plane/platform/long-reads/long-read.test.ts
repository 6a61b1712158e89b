import t, { type Test } from 'tap'
import { type LongRead, longRead } from '../../../../control-plane/platform/long-reads/long-read.ts'
import { firstSize, nextSize, pieceMsOf } from '../../../../control-plane/platform/long-reads/piece-size.ts'
import { createScheduler } from '../../../../control-plane/platform/long-reads/scheduler.ts'
import { testApp } from '../../../support/app.ts'

const pieceMs = pieceMsOf({ holdsProcess: true })
const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const settled = async (turns = 5): Promise<void> => {
  for (let i = 0; i < turns; i++) await turnOfTheLoop()
}
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  )
const stays = new AbortController().signal

/** An app whose clock only work moves. */
const steeredApp = async (t: Test) => {
  const time = { now: 0 }
  const clock = { now: () => 0, monotonic: () => time.now, sleep: async () => undefined }
  const { app } = await testApp(t, { parts: { clock } })
  const costing = (ms: number) => async (): Promise<void> => {
    time.now += ms
  }
  return { app, costing }
}

t.test('a piece that took long is halved, a short one doubled, within bounds', async (t) => {
  t.equal(nextSize(400, { tookMs: pieceMs + 1, pieceMs }), 200)
  t.equal(nextSize(400, { tookMs: 1, pieceMs }), 800)
  t.equal(nextSize(400, { tookMs: pieceMs - 1, pieceMs }), 400)
  t.equal(nextSize(60, { tookMs: 1000, pieceMs }), 50)
  let size = firstSize
  for (let i = 0; i < 20; i++) size = nextSize(size, { tookMs: 0, pieceMs })
  t.equal(size, 2000, 'and one piece is never the whole')
})

t.test('one piece in each turn of the loop, the owners in rotation', async (t) => {
  const scheduler = createScheduler()
  const log: string[] = []
  const ask = async (owner: string, name: string): Promise<void> => {
    await scheduler.next(owner)
    log.push(name)
  }
  const all = Promise.all([ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1')])
  await turnOfTheLoop()
  t.equal(log.length, 1, 'the others wait for their turn')
  await all
  t.strictSame(log, ['a1', 'b1', 'a2', 'a3'])
})

t.test('a short question waits for nobody', async (t) => {
  const { app, costing } = await steeredApp(t)
  const asker = { accountId: 'a', signal: stays }
  let turned = false
  setImmediate(() => {
    turned = true
  })
  await longRead(app, asker, async ({ piece }) => {
    for (let i = 0; i < 3; i++) await piece(costing(0.1))
  })
  t.notOk(turned)
})

t.test('ten long questions of an account leave every turn of the loop but one piece of it', async (t) => {
  const { app, costing } = await steeredApp(t)
  let pieces = 0
  const question = ({ piece }: LongRead) =>
    (async () => {
      for (let i = 0; i < 20; i++) {
        await piece(costing(pieceMs))
        pieces += 1
      }
    })()
  const asker = { accountId: 'a', signal: stays }
  const all = Promise.all(Array.from({ length: 10 }, () => longRead(app, asker, question)))
  await settled(1)
  // Each has done its first piece at once.
  let most = 0
  for (let before = pieces; pieces < 200; before = pieces) {
    await turnOfTheLoop()
    most = Math.max(most, pieces - before)
  }
  await all
  t.equal(most, 1)
})

t.test('a question ends when nobody waits for its answer any more', async (t) => {
  const { app, costing } = await steeredApp(t)
  const gone = new AbortController()
  let pieces = 0
  const endless = longRead(app, { accountId: 'a', signal: gone.signal }, async ({ piece }) => {
    for (;;) {
      await piece(costing(pieceMs))
      pieces += 1
    }
  })
  await settled(20)
  gone.abort()
  t.match(await failureOf(endless), { status: 503 })
  const until = pieces
  await settled(20)
  t.equal(pieces, until)
})

t.test('when too many questions of an account wait, the next one is told to come back', async (t) => {
  const { app, costing } = await steeredApp(t)
  const gone = new AbortController()
  const ask = () =>
    longRead(app, { accountId: 'a', signal: gone.signal }, async ({ piece }) => {
      for (;;) await piece(costing(pieceMs))
    })
  const waiting = Array.from({ length: 62 }, () => failureOf(ask()))
  t.match(await failureOf(ask()), { status: 429, headers: { 'retry-after': '5' } })
  gone.abort()
  for (const failure of await Promise.all(waiting)) t.match(failure, { status: 503 })
})
