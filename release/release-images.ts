/** The images of a release: built, taken into its layout, with an index over their processors and a bill of materials each. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildImage, copyBill } from '../images/build-image.ts'
import { type BuildSecrets, buildSecrets } from '../images/build-secrets.ts'
import type { Engine } from '../images/engine.ts'
import { type Architecture, debianName, makeOwnBase, nodeOfImages } from '../images/own-base.ts'
import { tagOf, type Variant, variants } from '../images/variants.ts'
import { addBlob, type Descriptor, type LayoutFiles, mediaTypes, takeImage } from './oci-layout.ts'
import type { Choices, Material, ToolVersions } from './provenance.ts'
import { ReleaseError, type Source } from './source-of-release.ts'

/** What images are built with. */
export type ImageRoom = { engine: Engine; variants: readonly Variant[] }

export type ReleasedImage = { repository: string; index: Descriptor; manifests: Descriptor[] }

/** Of an image for one processor, below the folder of the release. */
export const billPath = (repository: string, architecture: string): string =>
  join('sboms', `${repository.replaceAll('/', '-')}.${architecture}.cdx.json`)

/** @throws ReleaseError */
export const chosenVariants = (names: readonly string[]): Variant[] => {
  const unknown = names.filter((name) => !variants.some((one) => one.name === name))
  const chosen = variants.filter(({ name }) => names.includes(name))
  const needsAgent = chosen.filter(({ fromAgent }) => fromAgent && !names.includes('agent'))
  const problems = [
    ...unknown.map((name) => `there is no image ${name}: ${variants.map((one) => one.name).join(', ')}`),
    ...needsAgent.map(({ name }) => `the image ${name} begins with the image agent: name both`),
  ]
  if (problems.length > 0) throw new ReleaseError(problems)
  return chosen
}

type Folders = { release: string; files: LayoutFiles }

export const addImages = async (
  source: Source,
  { engine, variants: chosen }: ImageRoom,
  { choices, release, files }: Folders & { choices: Choices },
): Promise<ReleasedImage[]> => {
  if (chosen.length === 0) return []
  const work = mkdtempSync(join(tmpdir(), 'watchpost-release-'))
  const secrets = buildSecrets()
  const manifests = new Map<string, Descriptor[]>()
  try {
    for (const architecture of choices.architectures as Architecture[]) {
      const base = choices.base === 'own' ? await makeOwnBase(engine, architecture) : choices.base
      for (const variant of chosen) {
        const to = { engine, secrets, base, architecture, release, work: join(work, variant.name) }
        const built = await addOne(source, variant, to)
        manifests.set(variant.repository, [...(manifests.get(variant.repository) ?? []), built])
      }
    }
  } finally {
    secrets.remove()
    rmSync(work, { recursive: true, force: true, maxRetries: 5 })
  }
  return [...manifests].map(([repository, of]) => ({
    repository,
    index: indexOf(files, of, source),
    manifests: of,
  }))
}

type OneImage = {
  engine: Engine
  secrets: BuildSecrets
  base: string | null
  architecture: Architecture
  release: string
  work: string
}

const addOne = async (
  { root, version, commit }: Source,
  variant: Variant,
  { release, work, ...options }: OneImage,
): Promise<Descriptor> => {
  const tag = tagOf(variant, version)
  const { engine, architecture } = options
  await buildImage(variant, { ...options, format: 'oci', revision: commit, tag, sources: root })
  await engine.ask(['save', '--quiet', '--format', 'oci-dir', '--output', work, tag])
  const bill = billPath(variant.repository, debianName(architecture))
  mkdirSync(join(release, 'sboms'), { recursive: true })
  await copyBill(engine, tag, join(release, bill))
  const image = takeImage(work, join(release, 'oci'))
  rmSync(work, { recursive: true, force: true })
  return image
}

/** An index also over one processor: another one comes under the same name later. */
const indexOf = (
  files: LayoutFiles,
  manifests: readonly Descriptor[],
  { version, commit, seconds }: Source,
): Descriptor =>
  addBlob(files, mediaTypes.index, {
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests,
    annotations: {
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.revision': commit,
      'org.opencontainers.image.created': new Date(seconds * 1000).toISOString(),
    },
  })

/** What images are made of beside the commit; Debian's packages are in the bills of materials. */
export const materialsOf = async (
  root: string,
  { engine, variants: chosen }: ImageRoom,
  { base, architectures }: Choices,
): Promise<Material[]> => {
  if (chosen.length === 0) return []
  if (base === 'own')
    return (architectures as Architecture[]).map((architecture) => {
      const { name, version, integrity } = nodeOfImages(architecture)
      const sha512 = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')
      return { uri: `pkg:npm/${name}@${version}`, digest: { sha512 } }
    })
  if (base !== null) {
    const digest = await engine.ask(['image', 'inspect', '--format', '{{.Digest}}', base])
    return [{ name: base, digest: { sha256: digest.replace('sha256:', '') } }]
  }
  const pinned = chosen.flatMap(({ dockerfile }) =>
    [...readFileSync(join(root, dockerfile), 'utf8').matchAll(/^ARG BASE_IMAGE=(\S+)@sha256:(\w+)$/gm)].map(
      ([, name = '', sha256 = '']) => ({ name, digest: { sha256 } }),
    ),
  )
  return [...new Map(pinned.map((one) => [one.digest.sha256, one])).values()]
}

/** What decides about the bytes of a release beside its materials. */
export const toolsOf = async (room: ImageRoom | null): Promise<ToolVersions> => ({
  node: process.version,
  ...(room === null ? {} : { podman: await room.engine.ask(['version', '--format', '{{.Client.Version}}']) }),
})
