import t from 'tap'
import { createPackedTexts, type KeptText, readText } from '../../../agent/orders/packed-texts.ts'
import { fc } from '../../support/fast-check.ts'

const text = (id: number): string => JSON.stringify({ id, request: { url: `https://host-${id}.example/` } })

t.test('texts that are alike take a fraction of their length, and each is read as it was', async (t) => {
  const texts = createPackedTexts()
  const kept = Array.from({ length: 1000 }, (_, id) => texts.add(text(id)))
  const length = kept.reduce((sum, _, id) => sum + text(id).length, 0)
  t.ok(texts.bytes() < length / 3, `${texts.bytes()} of ${length}`)
  t.same(
    kept.map(readText),
    kept.map((_, id) => text(id)),
  )
})

t.test(
  'whatever comes and goes, what is left is read as it was, and takes no more than new texts would',
  async (t) => {
    const steps = fc.array(fc.record({ adds: fc.nat(70), removes: fc.nat(60), long: fc.nat(50_000) }), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(steps, fc.infiniteStream(fc.nat()), (all, chance) => {
        const texts = createPackedTexts()
        const there = new Map<KeptText, string>()
        let id = 0
        for (const { adds, removes, long } of all) {
          for (let n = 0; n <= adds; n += 1) {
            id += 1
            const said = n === 0 ? JSON.stringify('x'.repeat(long)) : text(id)
            there.set(texts.add(said), said)
          }
          for (let n = 0; n < removes && there.size > 0; n += 1) {
            const gone = [...there.keys()][chance.next().value % there.size] as KeptText
            texts.remove(gone)
            there.delete(gone)
          }
          for (const [kept, said] of there) if (readText(kept) !== said) return false
        }
        const anew = createPackedTexts()
        for (const said of there.values()) anew.add(said)
        return texts.bytes() <= 4 * anew.bytes() + 70_000
      }),
    )
    t.pass()
  },
)

t.test('when all have gone, nothing is left of them', async (t) => {
  const texts = createPackedTexts()
  const kept = Array.from({ length: 100 }, (_, id) => texts.add(text(id)))
  for (const one of kept) texts.remove(one)
  t.equal(texts.bytes(), 0)
  const again = texts.add(text(1))
  texts.clear()
  t.equal(texts.bytes(), 0)
  t.equal(readText(again), text(1), 'whoever reads one still can')
  t.equal(readText(texts.add(text(2))), text(2))
})
