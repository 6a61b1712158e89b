import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { createDiskCache } from '../../../../agent/browser/suite/disk-cache.ts'
import { temporaryFolder } from '../../../support/test-agent.ts'

const day = 24 * 60 * 60_000

const setUp = (t: Test, maxBytes = 100) => {
  const folder = join(temporaryFolder(t), 'cache')
  let now = 1e12
  let ids = 0
  const cache = createDiskCache({
    ...{ folder, maxBytes, log: pino({ level: 'silent' }), clock: { now: () => now } },
    newId: () => `id-${++ids}`,
  })
  const keep = (key: string, bytes: number) =>
    cache.keep(key, async (place) => {
      writeFileSync(join(place, 'file'), key)
      return bytes
    })
  return {
    ...{ cache, folder, keep },
    later: (ms: number): void => {
      now += ms
    },
    keys: () => readdirSync(folder).toSorted(),
  }
}

t.test('the least recently used goes first', async (t) => {
  const { cache, keep, later, keys } = setUp(t)
  for (const key of ['a', 'b', 'c']) {
    t.equal(await keep(key, 40), true)
    later(1000)
    if (key === 'b')
      t.equal(await cache.use('a', async (place) => readFileSync(join(place, 'file'), 'utf8')), 'a')
    later(1000)
  }
  t.same(keys(), ['a', 'c'])
  t.equal(await cache.use('b', async () => true), null)
})

t.test('what is in use stays, and what is too large never comes', async (t) => {
  const { cache, keep, later, keys } = setUp(t)
  await keep('a', 60)
  later(1000)
  await cache.use('a', () => keep('b', 60))
  t.same(keys(), ['a'], 'there was no room beside it')
  t.equal(await keep('c', 101), false)
  t.same(keys(), ['a'])
  later(1000)
  await keep('d', 60)
  t.same(keys(), ['d'])
})

t.test('what nobody has used for a month goes, and what was left half written', async (t) => {
  const { keep, later, keys, folder } = setUp(t)
  await keep('a', 1)
  mkdirSync(join(folder, 'x.id.part'))
  await utimes(join(folder, 'x.id.part'), 1e9, 1e9)
  later(31 * day)
  await keep('b', 1)
  t.same(keys(), ['b'])
})

t.test('what fails leaves nothing behind', async (t) => {
  const { cache, keys } = setUp(t)
  const fails = cache.keep('a', async () => {
    throw new Error('the disk is full')
  })
  await t.rejects(fails, { message: 'the disk is full' })
  t.same(keys(), [])
})
