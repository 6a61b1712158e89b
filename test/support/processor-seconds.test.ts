import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { processorSeconds, secondsOfEnded } from './processor-seconds.ts'

t.test('time of processors is our own and that of children that have ended', async (t) => {
  const stat = t.testdir({ stat: '1 (a) S 9 9) S 1 1 1 0 -1 4 5 6 7 8 100 20 300 4 20 0 1 0 99' })
  t.equal(processorSeconds(join(stat, 'stat')), 4.24)
  t.equal(processorSeconds(join(stat, 'stat'), 'children'), 3.04)
  t.equal(processorSeconds(join(stat, 'none')), null)
})

t.test('it grows by what a child works', async (t) => {
  const before = processorSeconds()
  t.equal(before === null, !existsSync('/proc/self/stat'))
  if (before === null) return
  const work = 'while (process.cpuUsage().user < 500_000) for (let n = 0; n < 1e6; n++);'
  secondsOfEnded()
  t.equal(spawnSync(process.execPath, ['-e', work]).status, 0)
  t.ok((secondsOfEnded() ?? 0) >= 0.5)
  t.equal(secondsOfEnded(), 0, 'each end is told once')
  t.ok((processorSeconds() ?? 0) - before >= 0.5)
})
