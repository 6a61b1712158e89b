import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openSpool } from '../../../agent/reporting/spool.ts'
import { recordingLog } from '../../support/agent-io.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

const line = (jobId: string): string => JSON.stringify({ jobId })

const setUp = (t: Test, dir = temporaryFolder(t), maxBytes = 1_000_000) => {
  const { log, lines } = recordingLog()
  const clock = fakeClock()
  const open = () =>
    openSpool({
      dir,
      capacity: () => maxBytes,
      io: { clock, log, newId: () => `owner-${clock.monotonic()}` },
    })
  return { dir, lines, clock, open }
}

t.test('an appended line is on disk at once and is found by the next agent, the oldest first', async (t) => {
  const { dir, open, clock } = setUp(t)
  const spool = open()
  spool.append(line('a'))
  spool.append(line('b'))
  spool.seal()
  clock.advance(1)
  spool.append(line('c'))
  // No seal, no close: as after `kill -9`.
  const next = open()
  t.same(
    next.leftBehind.map((batch) => next.read(batch)),
    [[line('a'), line('b')], [line('c')]],
  )
  for (const batch of next.leftBehind) next.remove(batch)
  t.same(readdirSync(dir), [])
  t.match(next.stats(), { batches: 0, bytes: 0 })
})

t.test('a line that was torn at any byte is skipped, the ones before it are kept', async (t) => {
  const { dir, open, lines } = setUp(t)
  const whole = `${line('a')}\n${line('b')}\n`
  for (let length = 0; length <= whole.length; length += 1) {
    writeFileSync(join(dir, '1.jsonl'), whole.slice(0, length))
    const spool = open()
    const read = spool.leftBehind.flatMap(spool.read)
    t.same(
      read,
      [line('a'), line('b')].filter((one) => whole.slice(0, length).includes(one)),
    )
  }
  t.ok(lines.every((text) => text.includes('damaged')))
})

t.test('it never holds more than its bound: the oldest batch goes, and that is said', async (t) => {
  const { open, lines, dir } = setUp(t, undefined, 100)
  const spool = open()
  for (let index = 0; index < 20; index += 1) {
    spool.append(line(`job-${index}`))
    spool.seal()
    t.ok(spool.stats().bytes <= 100 + 20)
  }
  t.ok(spool.stats().dropped > 0)
  t.match(lines[0], /SPOOL_MAX_MB/)
  t.match(open().read({ path: join(dir, readdirSync(dir).at(-1) ?? ''), bytes: 0 }), [line('job-19')])
})

t.test('what has to wait is synced once, and what is gone by then is no error', async (t) => {
  const { open, dir } = setUp(t)
  const spool = open()
  await spool.sync()
  spool.append(line('a'))
  const first = spool.seal()
  spool.append(line('b'))
  const syncing = spool.sync()
  spool.append(line('c'))
  if (first !== null) spool.remove(first)
  await syncing
  await spool.sync()
  const next = open()
  t.same(next.leftBehind.flatMap(next.read), [line('b'), line('c')])
  t.equal(readdirSync(dir).length, 1)
})

t.test('what is no file, or cannot be read, is left where it is and keeps nobody from working', async (t) => {
  const { dir, open, lines } = setUp(t)
  mkdirSync(join(dir, '1.jsonl'))
  writeFileSync(join(dir, '2.jsonl'), `${line('a')}\n`)
  writeFileSync(join(dir, '3.jsonl'), `${line('b')}\n`)
  const spool = open()
  t.equal(spool.leftBehind.length, 2)
  // As if it could not be read: root can read everything.
  rmSync(join(dir, '2.jsonl'))
  mkdirSync(join(dir, '2.jsonl'))
  t.same(spool.leftBehind.map(spool.read), [[], [line('b')]])
  for (const batch of spool.leftBehind) spool.remove(batch)
  t.same(readdirSync(dir).toSorted(), ['1.jsonl', '2.jsonl'])
  t.match(spool.stats(), { batches: 0, bytes: 0 })
  t.match(lines, [/1\.jsonl is not a file/, /2\.jsonl cannot be read: it is left/])
})

t.test('a folder that is removed is made again, and what was open in it begins anew', async (t) => {
  const { dir, open, clock } = setUp(t)
  const spool = open()
  spool.append(line('a'))
  rmSync(dir, { recursive: true })
  clock.advance(100)
  spool.append(line('b'))
  const batch = spool.seal()
  t.same(batch === null ? null : spool.read(batch), [line('b')])
  t.match(spool.stats(), { batches: 1, bytes: line('b').length + 1 })
  rmSync(dir, { recursive: true })
  spool.append(line('c'))
  t.equal(readdirSync(dir).length, 1)
})

t.test('a folder that cannot be made or written is said, and can be used once it can', async (t) => {
  const { dir, open, lines } = setUp(t)
  rmSync(dir, { recursive: true })
  writeFileSync(dir, 'a file in its place')
  const spool = open()
  t.same(spool.leftBehind, [])
  t.match(lines, [
    /SPOOL_DIR: .* cannot be used \(it is a file, not a folder\): results are kept in memory only/,
  ])
  t.match(spool.notDurable(), /cannot be used \(it is a file/)
  t.throws(() => spool.append(line('a')))
  rmSync(dir)
  t.match(spool.notDurable(), /took no result \(a part of the path is a file/, 'until a line is taken')
  spool.append(line('b'))
  t.equal(spool.notDurable(), null)
  t.equal(readdirSync(dir).length, 1)
})
