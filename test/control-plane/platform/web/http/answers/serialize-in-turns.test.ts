import t from 'tap'
import { serializeInTurns } from '../../../../../../control-plane/platform/web/http/answers/serialize-in-turns.ts'

const serialize = (body: unknown): string => JSON.stringify(body)

t.test('the text of a list is the same however long it is', async (t) => {
  for (const length of [0, 1, 250, 251, 1000, 1001]) {
    const list = Array.from({ length }, (_, n) => ({ n, text: `[${n}],` }))
    t.equal(await serializeInTurns(serialize, list), serialize(list), `${length}`)
  }
  t.equal(await serializeInTurns(serialize, { a: 1 }), '{"a":1}')
})

t.test('others get their turn between parts of a long list', async (t) => {
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await serializeInTurns(
    serialize,
    Array.from({ length: 2000 }, (_, n) => n),
  )
  isOver = true
  t.ok(turns >= 7, `${turns}`)
})
