import t from 'tap'
import {
  leastChecks,
  type Opening,
  stormFrom,
  stormOf,
} from '../../../../control-plane/alerting/notifications/storm-rules.ts'
import { randomFrom } from '../../../support/random.ts'

const brake = { checks: 20, percent: 30, windowMs: 60_000 }

t.test('how many make a storm', async (t) => {
  t.equal(stormFrom(brake, 1000), 20)
  t.equal(stormFrom(brake, 40), 12, 'a share of the active ones')
  t.equal(stormFrom(brake, 3), leastChecks, 'never fewer than five')
  t.equal(stormFrom({ ...brake, checks: 2 }, 1000), 2, 'unless it is said so')
})

const openings = (count: number, more: Partial<Opening>): Opening[] =>
  Array.from({ length: count }, (_, n) => ({
    checkId: `${more.host}-${more.location}-${n}`,
    host: `host-${more.location}-${n}`,
    location: 'a',
    ...more,
  }))

t.test('what shares a host is one storm, and one failure beside it stays one', async (t) => {
  const told = stormOf([...openings(30, { host: 'router' }), ...openings(1, { host: 'other' })], { from: 20 })
  t.strictSame(told.get('router-undefined-0'), { scope: 'storm host router', isSuspect: false })
  t.strictSame(told.get('other-undefined-0'), { scope: null, isSuspect: false })
})

t.test('what was seen from one place is one storm, another place is none of it', async (t) => {
  const told = stormOf([...openings(20, { location: 'here' }), ...openings(1, { location: 'there' })], {
    from: 20,
  })
  t.equal(told.get('undefined-here-3')?.scope, 'storm location here')
  t.equal(told.get('undefined-there-0')?.scope, null)
})

t.test('what has nothing in common is a storm of the account', async (t) => {
  const scattered = Array.from({ length: 20 }, (_, n) => openings(1, { location: `l${n}` })).flat()
  t.strictSame(
    [...new Set([...stormOf(scattered, { from: 20 }).values()].map(({ scope }) => scope))],
    ['storm account'],
  )
  t.strictSame(
    [...new Set([...stormOf(scattered.slice(1), { from: 20 }).values()].map(({ scope }) => scope))],
    [null],
  )
})

t.test('a storm that goes on takes in whatever is part of it, one by one, and nothing else', async (t) => {
  const told = (ongoing: string) =>
    stormOf([...openings(1, { host: 'router' }), ...openings(1, { host: 'other', location: 'b' })], {
      from: 20,
      ongoing: new Set([ongoing]),
    })
  t.equal(told('storm host router').get('router-undefined-0')?.scope, 'storm host router')
  t.equal(told('storm host router').get('other-b-0')?.scope, null)
  t.equal(told('storm location b').get('router-undefined-0')?.scope, null)
  t.equal(told('storm location b').get('other-b-0')?.scope, 'storm location b')
  t.equal(told('storm account').get('other-b-0')?.scope, 'storm account')
  t.strictSame(
    told('tag shop'),
    told('storm host gone'),
    'what is told together for another reason is no storm',
  )
})

t.test('some of them are suspects before they are enough', async (t) => {
  const isSuspect = (count: number) =>
    [...stormOf(openings(count, { host: 'router' }), { from: 20 }).values()].some((one) => one.isSuspect)
  t.strictSame([isSuspect(4), isSuspect(5)], [false, true])
})

t.test('of any failures each has one answer, and what is told alone is no storm', async (t) => {
  for (let seed = 1; seed <= 500; seed++) {
    const random = randomFrom(seed)
    const pick = (names: number) => (random() < 0.2 ? '' : `n${Math.floor(random() * names)}`)
    const from = 2 + Math.floor(random() * 20)
    const all = Array.from({ length: Math.floor(random() * 80) }, (_, n) => ({
      checkId: `c${n % 60}`,
      host: pick(6),
      location: pick(4),
    }))
    const ongoing = new Set(
      ['storm host n1', 'storm location n2', 'storm account'].filter(() => random() < 0.2),
    )
    const told = stormOf(all, { from, ongoing })
    const sizes = Map.groupBy([...told.values()], ({ scope }) => scope)
    const wrong = [...sizes].filter(([scope, those]) =>
      scope === null
        ? those.length >= from || ongoing.has('storm account')
        : (those.length < from && !ongoing.has(scope)) || those.some((one) => one.isSuspect),
    )
    const before = stormOf(all, { from })
    const moved = [...before].filter(
      ([checkId, { scope }]) => scope?.startsWith('storm host') && told.get(checkId)?.scope !== scope,
    )
    if (moved.length > 0) t.fail(`seed ${seed}: what goes on takes from no storm of a host`, { moved })
    if (wrong.length > 0 || told.size !== new Set(all.map(({ checkId }) => checkId)).size)
      t.fail(`seed ${seed}`, { from, wrong })
  }
  t.equal(stormOf([], { from: 2 }).size, 0)
})
