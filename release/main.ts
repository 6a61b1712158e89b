/**
 * `npm run release -- --version X` makes all that a release is, in a folder; `npm run release -- verify <folder>` says whether one is
 * what it says. Nothing is sent anywhere (docs/release.md).
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../images/build-image.ts'
import { EngineError, findEngine } from '../images/engine.ts'
import { variants } from '../images/variants.ts'
import { publicKey, signingKey } from './keys.ts'
import { makeRelease } from './make-release.ts'
import { byHand, type Choices } from './provenance.ts'
import { chosenVariants, type ImageRoom } from './release-images.ts'
import { git, ReleaseError, sourceOf } from './source-of-release.ts'
import { checkRelease, compareWithRebuilt, readMade } from './verify-release.ts'

const help = `npm run release -- --version X [options]
npm run release -- verify FOLDER [--key release.pub] [--quick] [--storage FOLDER]

  --out FOLDER      where it goes (dist/release/X); it must not be there yet
  --key FILE        signs as cosign does: a private key of ECDSA on P-256 (PEM, PKCS8); RELEASE_KEY_PASSWORD opens a sealed one
  --images LIST     ${variants.map(({ name }) => name).join(',')} (all), or none
  --arch LIST       x64,arm64 (this machine's processor); another one needs its emulation
  --base own        makes the base image here; any other name: an image that is here already
  --storage FOLDER  podman keeps images in this folder and nowhere else
  --builder URI     who builds, and --source URI, where the commit can be had: for the provenance

verify checks sums, digests and signatures, then makes the release again from its commit and names each file that is another;
--quick leaves the latter out.
`

const say = (text: string): void => void process.stderr.write(`watchpost: ${text}\n`)

const options = {
  version: { type: 'string' },
  out: { type: 'string' },
  key: { type: 'string' },
  images: { type: 'string', default: variants.map(({ name }) => name).join(',') },
  arch: { type: 'string', default: process.arch },
  base: { type: 'string' },
  storage: { type: 'string' },
  builder: { type: 'string', default: byHand },
  source: { type: 'string' },
  quick: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const read = (args: string[]) => {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new ReleaseError([`${error instanceof Error ? error.message : error}\n\n${help}`], { cause: error })
  }
}

type Values = ReturnType<typeof read>['values']

const listOf = (text: string): string[] => (text === 'none' ? [] : text.split(',').filter(Boolean))

const choicesOf = ({ images, arch, base, builder, source }: Values): Choices => {
  const architectures = listOf(arch)
  const unknown = architectures.filter((one) => !['x64', 'arm64'].includes(one))
  if (unknown.length > 0 || architectures.length === 0)
    throw new ReleaseError(['--arch is x64, arm64 or x64,arm64'])
  const chosen = listOf(images)
  return { images: chosen, architectures, base: base ?? null, builder, source: source ?? null }
}

const roomFor = ({ images }: Choices, storage: string | undefined): ImageRoom | null => {
  const chosen = chosenVariants(images)
  if (chosen.length === 0) return null
  const engine = findEngine(storage ?? null)
  if (engine.name === 'podman') return { engine, variants: chosen }
  throw new ReleaseError([
    'images of a release are built with podman: of docker they are other bytes each time',
  ])
}

const make = async (values: Values): Promise<void> => {
  if (values.version === undefined) throw new ReleaseError([`--version is missing\n\n${help}`])
  const source = sourceOf(root, values.version)
  const choices = choicesOf(values)
  const sign = values.key === undefined ? null : signingKey(values.key, process.env['RELEASE_KEY_PASSWORD'])
  const images = roomFor(choices, values.storage)
  const out = values.out ?? join(root, 'dist/release', values.version)
  await makeRelease({ source, choices, images, sign, out })
  say(`${out} is ${values.version} of ${source.commit}${sign === null ? ', not signed (--key)' : ', signed'}`)
}

const verify = async (folder: string, values: Values): Promise<void> => {
  const judge = values.key === undefined ? null : publicKey(values.key)
  const problems = await checkRelease(folder, judge)
  if (problems.length > 0) throw new ReleaseError(problems)
  const { version, commit, choices, tools } = readMade(folder)
  say(`${folder}: every file is the one of ${version}, commit ${commit}`)
  say(judge === null ? 'who signed it was not checked (--key)' : 'signed by the key')
  if (values.quick) return
  const here = git(root, ['rev-parse', 'HEAD']).trim()
  if (here !== commit)
    throw new ReleaseError([
      `it was made of the commit ${commit}, and this clone is at ${here}: check that one out, or --quick`,
    ])
  const source = sourceOf(root, version)
  const images = roomFor(choices, values.storage)
  const differences = await compareWithRebuilt(folder, { source, choices, images, tools })
  if (differences.length > 0) throw new ReleaseError(differences)
  say('made again from the commit, it is the same bytes')
}

const main = async (args: string[]): Promise<void> => {
  const { values, positionals } = read(args)
  const [command, folder, ...rest] = positionals
  if (values.help) return void process.stdout.write(help)
  if (command === undefined) return make(values)
  if (command !== 'verify' || folder === undefined || rest.length > 0) throw new ReleaseError([help])
  return verify(folder, values)
}

await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof ReleaseError) && !(error instanceof EngineError)) throw error
  for (const problem of error instanceof ReleaseError ? error.problems : [error.message]) say(problem)
  process.exitCode = 1
})
