import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ownStorage } from '../../images/own-storage.ts'

t.test('the storage of podman is a folder with its own settings', async (t) => {
  const folder = join(t.testdir(), 'storage')
  const env = ownStorage(folder, { runc: true })
  t.match(readFileSync(env['CONTAINERS_STORAGE_CONF'] ?? '', 'utf8'), `graphroot = "${folder}/graph"`)
  t.match(readFileSync(env['CONTAINERS_CONF'] ?? '', 'utf8'), 'runtime = "runc"')
  ownStorage(folder, { runc: false })
  t.notMatch(readFileSync(env['CONTAINERS_CONF'] ?? '', 'utf8'), 'runtime')
  t.strictSame(readdirSync(folder).sort(), ['containers.conf', 'storage.conf'])
})

t.test('whoever reads the settings while another process writes them sees all of them', async (t) => {
  const folder = t.testdir()
  const { CONTAINERS_STORAGE_CONF: path = '' } = ownStorage(folder, { runc: true })
  const whole = readFileSync(path, 'utf8')
  const module = import.meta.resolve('../../images/own-storage.ts')
  const writer = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { ownStorage } from ${JSON.stringify(module)}
       console.log('writing')
       for (;;) ownStorage(${JSON.stringify(folder)}, { runc: true })`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await once(writer.stdout, 'data')
  const seen = new Set(Array.from({ length: 20_000 }, () => readFileSync(path, 'utf8')))
  // Before the folder is removed.
  writer.kill('SIGKILL')
  await once(writer, 'exit')
  t.strictSame([...seen], [whole])
})
