import t from 'tap'
import {
  afterAnswer,
  afterClaim,
  afterFailedClaim,
  aloneAfterMs,
  firstContact,
  looked,
} from '../../../agent/orders/contact.ts'

const answered = (at: number) => ({ at, serverTime: 1_000_000 + at })
const heard = afterClaim(firstContact(0, 0), answered(0))
const isAlone = (contact: typeof heard, at: number): boolean => looked(contact, at).aloneSince !== null

t.test(
  'an agent is alone once nothing has been heard for longer than runs are handed out ahead',
  async (t) => {
    t.notOk(isAlone(heard, aloneAfterMs - 1))
    t.ok(isAlone(heard, aloneAfterMs))
  },
)

t.test('while a claim waits for long, any other answer is one', async (t) => {
  const later = afterAnswer(heard, answered(10_000))
  t.notOk(isAlone(later, aloneAfterMs))
  t.ok(isAlone(later, 10_000 + aloneAfterMs))
  t.equal(later.knownTo, 1_009_000, 'what was due before it has been handed out')
})

t.test('who answers everything but claims hands out no runs', async (t) => {
  const failing = afterFailedClaim(heard)
  t.ok(isAlone(afterAnswer(failing, answered(10_000)), aloneAfterMs))
  t.notOk(isAlone(afterClaim(failing, answered(10_000)), aloneAfterMs))
})

t.test('being alone ends with an answer to a claim, and with no other', async (t) => {
  const alone = looked(heard, aloneAfterMs)
  t.equal(afterAnswer(alone, answered(20_000)).aloneSince, aloneAfterMs)
  t.equal(looked(alone, 90_000).aloneSince, aloneAfterMs, 'it began when it began')
  t.equal(afterClaim(alone, answered(20_000)).aloneSince, null)
})
