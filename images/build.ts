/**
 * `npm run images`: builds the images with podman or docker; `npm run images -- uptime control-plane` builds only those.
 *
 * Mirrors and credentials come from this machine's own configuration of npm and apt (docs/deploy/images.md); nothing of it stays
 * in an image. Beside the images, each one's bill of materials lies in `dist/images/`.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type BuildOptions, buildImage, copyBill, root, version } from './build-image.ts'
import { buildSecrets } from './build-secrets.ts'
import { EngineError, findEngine } from './engine.ts'
import { measureBriefly } from './measure.ts'
import { type Architecture, makeOwnBase } from './own-base.ts'
import { type Variant, variants } from './variants.ts'

const help = `npm run images -- [options] [${variants.map(({ name }) => name).join('|')}]…

  --base own        make the base image here, of Debian's mirror and the npm registry, where no registry of images can be
                    reached; any other name: an image that is here already
  --arch x64|arm64  the processor that the images are for (this machine's); another one needs its emulation (binfmt)
  --format oci|docker
                    podman: oci is the same digest every time, docker keeps HEALTHCHECK (oci)
  --storage FOLDER  podman: keep images and containers in this folder and nowhere else
  --out FOLDER      where the bills of materials go (dist/images)
  --no-size         do not compress each image to say its size and digest

Environment: DEBIAN_MIRROR, DEBIAN_SECURITY_MIRROR, EXTRA_PACKAGES (further Debian packages for the images).
`

const say = (text: string): void => void process.stderr.write(`watchpost: ${text}\n`)

const read = (args: string[]) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      base: { type: 'string' },
      arch: { type: 'string', default: process.arch },
      format: { type: 'string', default: 'oci' },
      storage: { type: 'string' },
      out: { type: 'string', default: join(root, 'dist/images') },
      'no-size': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const known = variants.map(({ name }): string => name)
  const unknown = positionals.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new EngineError(`there is no image ${unknown}\n\n${help}`)
  if (!['x64', 'arm64'].includes(values.arch)) throw new EngineError(`--arch is x64 or arm64`)
  if (!['oci', 'docker'].includes(values.format)) throw new EngineError(`--format is oci or docker`)
  const chosen = variants.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  return { ...values, arch: values.arch as Architecture, format: values.format as 'oci' | 'docker', chosen }
}

const revisionOfSources = (): string => {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : ''
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

type Telling = { out: string; withSize: boolean }

const build = async (variant: Variant, options: BuildOptions, { out, withSize }: Telling): Promise<void> => {
  const startedAt = performance.now()
  const tag = await buildImage(variant, options)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  await copyBill(options.engine, tag, join(out, `${variant.name}.cdx.json`))
  if (options.engine.name === 'docker' || !withSize) return say(`${tag} is built (${seconds} s)`)
  const { digest, compressedBytes } = await measureBriefly(options.engine, tag)
  say(`${tag} is built (${seconds} s): ${megabytes(compressedBytes)} compressed, ${digest}`)
}

const main = async (args: string[]): Promise<void> => {
  const { chosen, base: wantedBase, storage, arch, format, out, ...asked } = read(args)
  if (asked.help) return void process.stdout.write(help)
  const engine = findEngine(storage ?? null)
  mkdirSync(out, { recursive: true })
  const secrets = buildSecrets()
  try {
    const base = wantedBase === 'own' ? await makeOwnBase(engine, arch) : (wantedBase ?? null)
    const options = { engine, secrets, base, architecture: arch, format, revision: revisionOfSources() }
    say(`building ${chosen.map(({ name }) => name).join(', ')} ${version} with ${engine.name}`)
    for (const variant of chosen) await build(variant, options, { out, withSize: !asked['no-size'] })
  } finally {
    secrets.remove()
  }
}

await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof EngineError)) throw error
  say(error.message)
  process.exitCode = 1
})
