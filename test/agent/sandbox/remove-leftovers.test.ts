import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { removeLeftovers } from '../../../agent/sandbox/remove-leftovers.ts'

const now = Date.UTC(2026, 0, 1)
const minutesAgo = (minutes: number): Date => new Date(now - minutes * 60_000)

t.test('folders of scripts whose agent was killed go after an hour, and nothing else', async (t) => {
  const place = t.testdir({ elsewhere: { kept: 'x' } })
  const folder = (name: string, minutes: number): string => {
    const path = join(place, name)
    mkdirSync(join(path, 'tmp'), { recursive: true })
    writeFileSync(join(path, 'main.mjs'), '')
    utimesSync(path, minutesAgo(minutes), minutesAgo(minutes))
    return path
  }
  const left = folder('watchpost-script-left', 61)
  const used = folder('watchpost-script-used', 59)
  const file = join(place, 'watchpost-script-file-1')
  writeFileSync(file, '')
  utimesSync(file, minutesAgo(61), minutesAgo(61))
  const foreign = folder('watchpost-other-left', 6000)
  const link = join(place, 'watchpost-script-link')
  symlinkSync(join(place, 'elsewhere'), link)
  utimesSync(join(place, 'elsewhere'), minutesAgo(6000), minutesAgo(6000))
  const said: string[] = []
  await removeLeftovers(place, { now, log: { debug: (text: string) => said.push(text) } })
  t.notOk(existsSync(left))
  t.notOk(existsSync(file))
  t.ok(existsSync(used), 'a child may still use it')
  t.ok(existsSync(foreign))
  t.ok(existsSync(join(link, 'kept')), "a link is nobody's folder")
  t.same(said, [])
})

t.test('agents that start at once do not disturb each other', async (t) => {
  const place = t.testdir({ 'watchpost-script-a': {}, 'watchpost-script-b': {} })
  const later = { now: now + 400 * 365 * 86_400_000, log: { debug: () => undefined } }
  await Promise.all(Array.from({ length: 8 }, () => removeLeftovers(place, later)))
  t.same(readdirSync(place), [])
})
