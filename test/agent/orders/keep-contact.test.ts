import t from 'tap'
import { watchContact } from '../../../agent/orders/keep-contact.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const setUp = (change: Partial<Parameters<typeof watchContact>[0]> = {}) => {
  const clock = fakeClock()
  const seen = { signs: 0, alone: [] as number[], back: 0, between: 0 }
  const contact = watchContact({
    io: { clock },
    before: null,
    serverNow: clock.now,
    needsSigns: () => true,
    askForSign: async () => {
      seen.signs += 1
    },
    onAnswerBetween: () => {
      seen.between += 1
    },
    onAlone: (knownTo) => seen.alone.push(knownTo),
    onBack: () => {
      seen.back += 1
    },
    ...change,
  })
  contact.start()
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 500) {
      clock.advance(500)
      await new Promise(setImmediate)
    }
  }
  return { clock, seen, contact, pass }
}

t.test('a poll that hangs on a connection that is cut off keeps nobody from being alone', async (t) => {
  const { seen, contact, pass, clock } = setUp()
  contact.heard('claim', clock.now())
  const knownTo = clock.now()
  await pass(14_500)
  t.same(seen.alone, [])
  t.ok(seen.signs >= 1, 'a sign of life was asked for')
  await pass(1000)
  t.same(seen.alone, [knownTo - 1000])
})

t.test('signs of life while a poll waits keep an agent from being alone', async (t) => {
  const { seen, contact, pass, clock } = setUp()
  contact.heard('claim', clock.now())
  for (let count = 0; count < 6; count += 1) {
    await pass(8000)
    contact.heard('renew', clock.now())
  }
  t.same(seen.alone, [])
  t.ok(seen.signs <= 7, 'one for each silence')
})

t.test('where nothing needs it, nothing is asked for', async (t) => {
  const { seen, contact, pass } = setUp({ needsSigns: () => false })
  await pass(60_000)
  t.equal(seen.signs, 0)
  t.equal(seen.alone.length, 0, 'a poll for jobs may be silent for as long')
  contact.claimFailed()
  await pass(16_000)
  t.equal(seen.alone.length, 1, 'one that failed says that it is alone')
})

t.test('who is asked again after a long silence has its time to answer', async (t) => {
  let isDue = false
  const { seen, contact, pass, clock } = setUp({ needsSigns: () => isDue })
  await pass(60_000)
  isDue = true
  await pass(6000)
  t.equal(seen.signs, 1)
  t.equal(seen.alone.length, 0, 'the silence before was nobody’s')
  contact.heard('renew', clock.now())
  await pass(14_000)
  t.equal(seen.alone.length, 0)
  await pass(6000)
  t.equal(seen.alone.length, 1)
})

t.test('who fails at claims alone wakes them when anything else is answered', async (t) => {
  const { seen, contact, pass, clock } = setUp()
  contact.heard('claim', clock.now())
  contact.claimFailed()
  contact.heard('report', clock.now())
  t.equal(seen.between, 1)
  await pass(15_000)
  t.equal(seen.alone.length, 1)
  contact.heard('report', clock.now())
  t.equal(seen.back, 0)
  contact.heard('claim', clock.now())
  t.equal(seen.back, 1)
  await pass(16_000)
  t.equal(seen.alone.length, 2, 'and it is watched for again')
})

t.test('an agent that starts during an outage waits for less', async (t) => {
  const { seen, pass } = setUp({ before: { agoMs: 3_600_000, serverTime: 7 } })
  await pass(5500)
  t.same(seen.alone, [7])
})
