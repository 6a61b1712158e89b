// Runs in a process of its own: it starts programs that take seconds.
/** `npm run runtime <id>` in a clone, from a registry that this test is. */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { chromiumAdvice } from '../start/chromium-advice.ts'
import { httpServer } from './support/servers.ts'
import { temporaryFolder } from './support/test-agent.ts'
import { until } from './support/until.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const copied = [
  'provision.mjs',
  'start/runtime-progress.mjs',
  'start/tell-chromium.ts',
  'start/chromium-advice.ts',
  'agent/browser/find-chromium.ts',
]

/** A package as registries serve it. */
const packed = (t: Test): Buffer => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'package'))
  writeFileSync(join(folder, 'package/package.json'), JSON.stringify({ name: 'greet', version: '1.0.0' }))
  return spawnSync('tar', ['cz', '-C', folder, 'package']).stdout
}

const clone = (t: Test, integrity: string): string => {
  const folder = temporaryFolder(t)
  const write = (path: string, value: object): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), JSON.stringify(value))
  }
  for (const path of copied) cpSync(join(root, path), join(folder, path))
  const own = { name: 'own', version: '1.0.0', dependencies: { greet: '1.0.0' } }
  write('package.json', { type: 'module' })
  write('runtimes/2026-04/package.json', own)
  write('runtimes/2026-04/package-lock.json', {
    ...{ name: 'own', version: '1.0.0', lockfileVersion: 3, requires: true },
    packages: {
      '': own,
      'node_modules/greet': { version: '1.0.0', integrity },
      'node_modules/elsewhere': { version: '1.0.0', integrity, optional: true, os: ['none'] },
    },
  })
  return folder
}

const registry = async (t: Test) => {
  const tarball = packed(t)
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  const held = Promise.withResolvers<void>()
  const { origin } = await httpServer(t, async (request, response) => {
    if (request.url?.endsWith('.tgz')) {
      await held.promise
      response.end(tarball)
      return
    }
    const dist = { tarball: `${origin}/greet/-/greet-1.0.0.tgz`, integrity }
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        name: 'greet',
        'dist-tags': { latest: '1.0.0' },
        versions: { '1.0.0': { name: 'greet', version: '1.0.0', dist } },
      }),
    )
  })
  return { origin, integrity, release: held.resolve }
}

/** As somebody without a Chromium of Playwright would run it. */
const provide = (t: Test, folder: string, origin: string) => {
  const child = spawn(process.execPath, ['provision.mjs', 'runtime', '2026.04'], {
    cwd: folder,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      HOME: temporaryFolder(t),
      npm_config_registry: origin,
      npm_config_cache: temporaryFolder(t),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    said += part
  })
  return { ended: text(child.stderr), said: () => said }
}

t.test('a runtime is installed with signs of life, and once', async (t) => {
  const { origin, integrity, release } = await registry(t)
  const folder = clone(t, integrity)
  const { ended, said } = provide(t, folder, origin)
  await until('it says how far it is', () => /0 of 1 packages, \d+ s\n/.test(said()))
  release()
  await ended
  t.match(
    said(),
    /^watchpost: installing the 1 packages of the runtime 2026-04; that usually takes less than a minute\.\n/,
  )
  t.match(said(), /the Chromium \/\S+ \(.*\)\.\n|no Chromium was found/)
  const last = (text: string): string => text.trim().split('\n').at(-1) ?? ''
  t.match(
    last(said()),
    /^watchpost: the runtime 2026-04 is installed: 1 packages, 1 MB in runtimes\/2026-04\/node_modules\/\. "npm start" runs checks with it/,
  )
  const again = provide(t, folder, 'http://127.0.0.1:1')
  await again.ended
  t.match(last(again.said()), /^watchpost: the runtime 2026-04 is installed already: 1 packages/)
  t.notMatch(again.said(), /installing/)
})

t.test('where no Chromium is, it says how to get one', async (t) => {
  const lines = chromiumAdvice({ found: null, folder: '/cache', runtime: '2026-04' })
  t.match(lines, [
    /^no Chromium was found/,
    /apt-get install chromium-headless-shell/,
    /system/,
    /PLAYWRIGHT_BROWSERS_PATH=\/cache node runtimes\/2026-04\/.*cli\.js install chromium-headless-shell$/,
  ])
})
