import t from 'tap'
import { createCheckAnswerCache } from '../../../../../control-plane/monitoring/definitions/checks/check-answer-cache.ts'
import type { Check } from '../../../../../control-plane/monitoring/definitions/checks/schema.ts'

t.test('only what was made from the same basis is recalled', async (t) => {
  const shown = createCheckAnswerCache()
  const check = { id: 'a' } as Check
  t.equal(shown.recall('a', '1 []'), undefined)
  shown.remember('a', '1 []', check)
  t.equal(shown.recall('a', '1 []'), check)
  t.ok(Object.isFrozen(check), 'nobody can change it any more')
  t.equal(shown.recall('a', '2 []'), undefined, 'a newer version')
})

t.test('memory is bounded', async (t) => {
  const shown = createCheckAnswerCache()
  for (let n = 0; n < 5000; n++) shown.remember(String(n), '1', { id: String(n) } as Check)
  t.equal(shown.size(), 2000)
  t.ok(shown.recall('4999', '1'))
  t.equal(shown.recall('0', '1'), undefined)
})
