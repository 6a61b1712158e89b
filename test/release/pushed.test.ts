// Runs in test:all only: a release is made, and pushed to a registry.
/** `push.sh` brings a release to a real registry, from which each part comes back by its digest, and signatures by their tags. */
import { spawn, spawnSync } from 'node:child_process'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { version } from '../../images/build-image.ts'
import { signingKey } from '../../release/keys.ts'
import { makeRelease } from '../../release/make-release.ts'
import {
  addBlob,
  blobPath,
  closeLayout,
  type Descriptor,
  type LayoutFiles,
  mediaTypes,
  readNamed,
  writeFiles,
} from '../../release/oci-layout.ts'
import { sourceOf } from '../../release/source-of-release.ts'
import { hasHelm, helm } from '../support/helm-program.ts'
import { endsWith, follow, scratchFolder } from '../support/programs.ts'
import { releaseClone, withoutImages } from '../support/release-clone.ts'

t.setTimeout(300_000)
const push = fileURLToPath(new URL('../../release/push.sh', import.meta.url))
const isInstalled = ['docker-registry', 'skopeo'].every(
  (program) => spawnSync(program, ['--version']).status === 0,
)
const skip = isInstalled ? false : 'docker-registry and skopeo are not installed'

const room = await scratchFolder(t)

/** On loopback, with everything in a folder of its own; `host:port`. */
const startRegistry = async (t: Test): Promise<string> => {
  const folder = await scratchFolder(t)
  const config = {
    ...{ version: 0.1, log: { level: 'info' } },
    storage: { filesystem: { rootdirectory: join(folder, 'data') } },
    http: { addr: '127.0.0.1:0' },
  }
  const file = join(folder, 'config.yml')
  writeFileSync(file, JSON.stringify(config))
  const registry = endsWith(t, follow(spawn('docker-registry', ['serve', file]), 'docker-registry'))
  const [, address = ''] = await registry.line(/listening on (127\.0\.0\.1:\d+)/)
  return address
}

const run = async (program: string, args: readonly string[]) => {
  const env = { ...process.env, HOME: room, SKOPEO_OPTIONS: '--dest-tls-verify=false' }
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const printed: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(chunk))
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { status, printed: Buffer.concat(printed).toString() }
}

/** An image for two processors, as a layout of a release has it. */
const imageLayout = (folder: string, name: string): void => {
  const files: LayoutFiles = new Map()
  const layer = addBlob(files, 'application/vnd.oci.image.layer.v1.tar+gzip', gzipSync(Buffer.alloc(1024)))
  const manifests = ['amd64', 'arm64'].map((architecture): Descriptor => {
    const diff = `sha256:${createHash('sha256').update(Buffer.alloc(1024)).digest('hex')}`
    const config = addBlob(files, mediaTypes.config, {
      ...{ architecture, os: 'linux', rootfs: { type: 'layers', diff_ids: [diff] } },
    })
    const manifest = { schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers: [layer] }
    return {
      ...addBlob(files, mediaTypes.manifest, manifest),
      platform: { architecture, os: 'linux' },
    }
  })
  const index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests }
  closeLayout(files, new Map([[name, addBlob(files, mediaTypes.index, index)]]))
  writeFiles(folder, files)
}

/** What the registry answers for a name and tag, or a digest, must have the digest that the layout says. */
const manifestAt = async (registry: string, repository: string, reference: string) => {
  const accept = [mediaTypes.index, mediaTypes.manifest].join(', ')
  const url = `http://${registry}/v2/${repository}/manifests/${reference}`
  const answer = await fetch(url, { headers: { accept } })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` }
}

const clone = await releaseClone(t)
const made = join(room, 'made')
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const keyFile = join(room, 'release.key')
writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }))
const sign = signingKey(keyFile, undefined)
await makeRelease({ source: sourceOf(clone, version), choices: withoutImages, images: null, sign, out: made })

t.test('each part is there by its name and by its digest, and comes back as it was', { skip }, async (t) => {
  const registry = await startRegistry(t)
  const image = join(room, 'image')
  imageLayout(join(image, 'oci'), `watchpost/agent:${version}`)
  for (const folder of [made, image]) {
    const pushed = await run(push, [folder, `${registry}/mirror`])
    t.equal(pushed.status, 0, pushed.printed)
  }
  const layouts = [join(made, 'oci'), join(made, 'signatures'), join(image, 'oci')]
  let signatures = 0
  for (const layout of layouts) {
    const named = readNamed(layout)
    t.ok(named.size > 0)
    for (const [name, { digest }] of named) {
      const [repository = '', tag = ''] = name.split(':')
      const path = `mirror/${repository}`
      t.strictSame(await manifestAt(registry, path, tag), { status: 200, digest }, name)
      t.strictSame(await manifestAt(registry, path, digest), { status: 200, digest }, `${name} by digest`)
      if (/^sha256-[0-9a-f]{64}\.(sig|att)$/.test(tag)) signatures += 1
    }
  }
  t.ok(signatures > 0, 'signatures lie beside what they sign, where cosign looks')

  const back = join(room, 'back')
  const [[name, { digest }] = ['', { digest: '' }]] = readNamed(join(image, 'oci'))
  const from = `docker://${registry}/mirror/${name.split(':')[0]}@${digest}`
  const pulled = await run('skopeo', [
    'copy',
    '--quiet',
    '--all',
    '--src-tls-verify=false',
    from,
    `oci:${back}:x`,
  ])
  t.equal(pulled.status, 0, pulled.printed)
  t.same(readFileSync(join(back, blobPath(digest))), readFileSync(join(image, 'oci', blobPath(digest))))
  t.equal((await run(push, [image, `${registry}/mirror`])).status, 0, 'a second time changes nothing')

  if (!hasHelm) return
  const chart = `oci://${registry}/mirror/watchpost/charts/watchpost-agent`
  const home = await scratchFolder(t)
  const fetched = await helm(
    ['pull', chart, '--version', version, '--plain-http', '--destination', home],
    home,
  )
  t.equal(fetched.code, 0, fetched.stderr)
  const archive = `watchpost-agent-${version}.tgz`
  t.same(
    readFileSync(join(home, archive)),
    readFileSync(join(made, 'charts', archive)),
    'helm gets the chart',
  )
})

t.test('what is damaged or missing stops the push', { skip }, async (t) => {
  const registry = await startRegistry(t)
  const broken = join(room, 'broken')
  imageLayout(join(broken, 'oci'), `watchpost/agent:${version}`)
  const [[, { digest }] = ['', { digest: '' }]] = readNamed(join(broken, 'oci'))
  rmSync(join(broken, 'oci', blobPath(digest)))
  t.not((await run(push, [broken, registry])).status, 0)
  t.equal((await manifestAt(registry, 'watchpost/agent', version)).status, 404, 'nothing has the name')
})
