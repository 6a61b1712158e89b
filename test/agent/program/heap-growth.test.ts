import t from 'tap'
import {
  firstGrowth,
  type GrowthState,
  nextGrowth,
  watchHeapGrowth,
} from '../../../agent/program/heap-growth.ts'
import { isSmallProcess, smallProcessArguments } from '../../../agent/program/small-process.ts'
import { fakeClock } from '../../support/fake-clock.ts'

/** What the heap does after each of these seconds. */
const seconds = (start: GrowthState, busy: readonly number[]): GrowthState =>
  busy.reduce((state, share) => nextGrowth(state, { busy: share, collections: 0, percent: 12 }), start)

/** As many collections in each second of an agent that is half idle; the heap may grow by `percent`. */
const collected = (start: GrowthState, counts: readonly number[], percent: number): GrowthState =>
  counts.reduce((state, collections) => nextGrowth(state, { busy: 0.5, collections, percent }), start)

const times = (count: number, share: number): number[] => Array.from({ length: count }, () => share)

t.test('an agent that is busy without a pause for long lets its heap grow', async (t) => {
  t.equal(seconds(firstGrowth, times(19, 1)).growth, 'small', 'the first runs of many checks together')
  t.equal(seconds(firstGrowth, times(20, 1)).growth, 'free')
  t.equal(
    seconds(firstGrowth, [...times(19, 1), 0.5, ...times(19, 1)]).growth,
    'small',
    'a pause begins anew',
  )
  t.equal(seconds(firstGrowth, times(1000, 0.89)).growth, 'small')
})

t.test('one that is calm again for half a minute has a small heap again', async (t) => {
  const free = seconds(firstGrowth, times(20, 1))
  t.equal(seconds(free, times(29, 0.1)).growth, 'free')
  t.equal(seconds(free, times(30, 0.1)).growth, 'small')
  t.equal(seconds(free, [...times(29, 0.1), 0.8, ...times(29, 0.1)]).growth, 'free', 'work in between')
})

t.test(
  'so does one that is often collected, however idle it is, for as long as a small heap would be',
  async (t) => {
    t.equal(collected(firstGrowth, times(20, 2), 12).growth, 'small', 'a burst')
    const free = collected(firstGrowth, times(30, 2), 12)
    t.equal(free.growth, 'free')
    const onceInFive = Array.from({ length: 200 }, (_, second) => (second % 5 === 0 ? 1 : 0))
    t.equal(
      collected(firstGrowth, onceInFive, 12).growth,
      'small',
      'an agent with ten thousand checks a minute',
    )
    t.equal(collected(free, onceInFive, 80).growth, 'free', 'it would be collected more than once a second')
    t.equal(collected(free, onceInFive, 12).growth, 'small')
  },
)

t.test('only a process that was started with a small heap is meant', async (t) => {
  t.equal(isSmallProcess(['--no-warnings', ...smallProcessArguments]), true)
  t.equal(isSmallProcess(smallProcessArguments.slice(1)), false)
  t.equal(isSmallProcess([]), false)
})

t.test('V8 is told how far the heap may grow: by the same bytes, however much it holds', async (t) => {
  const clock = fakeClock()
  const flags: string[] = []
  let [share, heapMb] = [1, 24]
  watchHeapGrowth({
    clock,
    busy: () => share,
    collections: () => 0,
    heapBytes: () => heapMb * 1024 * 1024,
    setFlag: (flag) => flags.push(flag),
  })
  for (let second = 0; second < 20; second++) await clock.advance(1000)
  t.same(flags, ['--heap-growing-percent=100'], 'to twice of what is in use at most')
  heapMb = 64
  await clock.advance(1000)
  t.equal(flags.at(-1), '--heap-growing-percent=50')
  heapMb = 1000
  await clock.advance(1000)
  t.equal(flags.at(-1), '--heap-growing-percent=12', 'and never less than a small heap')
  share = 0
  heapMb = 24
  for (let second = 0; second < 30; second++) await clock.advance(1000)
  t.equal(flags.at(-1), '--heap-growing-percent=12')
  const { length } = flags
  for (let second = 0; second < 30; second++) await clock.advance(1000)
  t.equal(flags.length, length, 'small: it need not be told again')
})
