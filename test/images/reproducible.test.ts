// Runs in test:long only: it builds an image three times.
// Runs last: CI builds the images meanwhile.
/** The same sources, packages and base are the same image, byte for byte; another version with the same packages is one new layer. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { buildImage, root } from '../../images/build-image.ts'
import { buildSecrets } from '../../images/build-secrets.ts'
import { measureBriefly } from '../../images/measure.ts'
import { type Architecture, ownBaseOf } from '../../images/own-base.ts'
import { variants } from '../../images/variants.ts'
import { imageEngine } from '../support/containers.ts'
import { scratchFolder } from '../support/programs.ts'

t.setTimeout(590_000)
const { engine, skip } = await imageEngine('uptime')

/** What the uptime image is made of, in version 99. */
const nextVersion = (folder: string): void => {
  const parts = [
    '.dockerignore',
    '.npmrc',
    'LICENSE',
    'package.json',
    'package-lock.json',
    'Dockerfile.uptime',
  ]
  const manifests = ['agent/package.json', 'control-plane/package.json', 'test/typed-client/package.json']
  for (const part of [...parts, ...manifests, 'agent', 'protocol', 'images', 'runtimes/2026-04/package.json'])
    cpSync(join(root, part), join(folder, part), {
      recursive: true,
      filter: (path) => !path.includes('node_modules'),
    })
  const write = (path: string, change: (manifest: Manifest) => void): void => {
    const manifest: Manifest = JSON.parse(readFileSync(join(folder, path), 'utf8'))
    change(manifest)
    writeFileSync(join(folder, path), JSON.stringify(manifest))
  }
  const become = (one: { version?: string } | undefined): void => {
    if (one?.version !== undefined) one.version = '99.0.0'
  }
  for (const path of ['package.json', ...manifests]) write(path, become)
  write('package-lock.json', (lock) => {
    for (const one of [lock, ...['', 'agent', 'control-plane'].map((name) => lock.packages?.[name])])
      become(one)
  })
}
type Manifest = { version?: string; packages?: { [path: string]: { version?: string } } }

t.test('builds of the uptime image', { skip }, async (t) => {
  if (engine === null) return
  const architecture = process.arch as Architecture
  const secrets = buildSecrets()
  t.teardown(secrets.remove)
  const build = async (tag: string, revision: string, sources: string): Promise<void> => {
    t.teardown(() => engine.ask(['rmi', '--force', tag]))
    const uptime = variants.find(({ name }) => name === 'uptime')
    if (uptime === undefined) throw new Error('there is no uptime image')
    const options = { engine, secrets, base: ownBaseOf(architecture), architecture, revision, tag, sources }
    await buildImage(uptime, { ...options, format: 'oci' })
  }
  const [first, second, next] = ['first', 'second', 'next'].map((name) => `localhost/watchpost-test:${name}`)
  if (first === undefined || second === undefined || next === undefined) return

  await build(first, 'r', root)
  await build(second, 'r', root)
  const { digest } = await measureBriefly(engine, first)
  t.match(digest, /^sha256:[0-9a-f]{64}$/)
  t.equal((await measureBriefly(engine, second)).digest, digest, 'two of the same have one digest')

  const folder = await scratchFolder(t)
  nextVersion(folder)
  await build(next, 'another', folder)
  const layersOf = async (tag: string): Promise<string[]> =>
    JSON.parse(await engine.ask(['image', 'inspect', '--format', '{{json .RootFS.Layers}}', tag]))
  const [before, after] = [await layersOf(first), await layersOf(next)]
  t.strictSame(after.slice(0, -1), before.slice(0, -1), 'a new version has the layers of the old one')
  t.not(after.at(-1), before.at(-1), 'but for its code')
})
