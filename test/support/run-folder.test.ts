import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { inRunFolder } from './run-folder.ts'
import { until } from './until.ts'

const runner = fileURLToPath(new URL('../run.ts', import.meta.url))

t.test('the folder of a run is there while it runs, and is gone however it ends', async (t) => {
  const folders: string[] = []
  const begin = (folder: string) => {
    folders.push(folder)
    mkdirSync(join(folder, 'a/b'), { recursive: true })
    writeFileSync(join(folder, 'a/b/c'), 'left')
  }
  const ended = await inRunFolder(async (folder) => {
    begin(folder)
    return 'done'
  })
  t.strictSame(ended, { done: 'done', problem: null })
  const broken = inRunFolder(async (folder) => {
    begin(folder)
    throw new Error('the run broke')
  })
  await t.rejects(broken, { message: 'the run broke' })
  t.strictSame(folders.map(existsSync), [false, false])
})

/** Runs a file that never ends, and waits until it has written something where it may. */
const startedRun = async (t: Test) => {
  const body = `import { writeFileSync } from 'node:fs'
    import { tmpdir } from 'node:os'
    import t from 'tap'
    t.test('waits for ever', async () => {
      writeFileSync(tmpdir() + '/left', '')
      await new Promise((resolve) => setTimeout(resolve, 600_000))
    })`
  const folder = t.testdir({ 'case.ts': body, temporary: {} })
  const TMPDIR = join(folder, 'temporary')
  const child = spawn(process.execPath, [runner, join(folder, 'case.ts')], {
    env: { ...process.env, CI: '', TMPDIR },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  await until('the file runs', () =>
    readdirSync(TMPDIR).some((name) => existsSync(join(TMPDIR, name, 'left'))),
  )
  return { child, ended, left: () => readdirSync(TMPDIR) }
}

t.test('a run that is stopped leaves nothing behind', async (t) => {
  const { child, ended, left } = await startedRun(t)
  child.kill('SIGTERM')
  t.strictSame(await ended, [143, null])
  t.strictSame(left(), [])
})

t.test(
  'a run that nobody reads any more ends when it wants to say something, and leaves nothing',
  async (t) => {
    const { child, ended, left } = await startedRun(t)
    child.stdout.destroy()
    child.kill('SIGHUP')
    t.strictSame(await ended, [1, null])
    t.strictSame(left(), [])
  },
)
