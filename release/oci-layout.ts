/** A folder with images and whatever else registries keep, as the image layout of OCI has it: any registry tool reads it. */
import { createHash } from 'node:crypto'
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

export type Annotations = { [name: string]: string }
export type Descriptor = {
  mediaType: string
  digest: string
  size: number
  platform?: { architecture: string; os: string }
  annotations?: Annotations
}

export type Manifest = {
  schemaVersion: 2
  mediaType: string
  config?: Descriptor
  layers?: Descriptor[]
  manifests?: Descriptor[]
  annotations?: Annotations
}

export const mediaTypes = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
} as const

/** The name that registry tools find an entry of a layout by. */
export const refName = 'org.opencontainers.image.ref.name'

export const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')

export const sha256OfFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

export const blobPath = (digest: string): string => join('blobs', ...digest.split(':'))

/** The files of a layout by their paths: blobs, and what names them. */
export type LayoutFiles = Map<string, Buffer>

export const addBlob = (files: LayoutFiles, mediaType: string, content: Buffer | object): Descriptor => {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content))
  const digest = `sha256:${sha256(bytes)}`
  files.set(blobPath(digest), bytes)
  return { mediaType, digest, size: bytes.length }
}

/** What makes a folder of blobs a layout. `named`: descriptors by the names that they have in a registry. */
export const closeLayout = (files: LayoutFiles, named: ReadonlyMap<string, Descriptor>): void => {
  const manifests = [...named].map(([name, one]) => ({
    ...one,
    annotations: { ...one.annotations, [refName]: name },
  }))
  const index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests }
  files.set('oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}'))
  files.set('index.json', Buffer.from(`${JSON.stringify(index, null, 1)}\n`))
}

export const writeFiles = (folder: string, files: ReadonlyMap<string, Buffer>): void => {
  for (const [path, bytes] of files) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
}

/** Entries of a layout by their names. */
export const readNamed = (folder: string): Map<string, Descriptor> => {
  const { manifests } = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as {
    manifests: Descriptor[]
  }
  return new Map(manifests.map((one) => [one.annotations?.[refName] ?? one.digest, one]))
}

export const readManifest = (folder: string, { digest }: Pick<Descriptor, 'digest'>): Manifest =>
  JSON.parse(readFileSync(join(folder, blobPath(digest)), 'utf8'))

/** The only image of a layout that an engine has written: its blobs are moved into `folder`, its manifest is described. */
export const takeImage = (written: string, folder: string): Descriptor => {
  const [entry] = readNamed(written).values()
  if (entry === undefined) throw new Error(`there is no image in ${written}`)
  const { config, layers = [] } = readManifest(written, entry)
  if (config === undefined) throw new Error(`${entry.digest} is no image`)
  mkdirSync(join(folder, 'blobs', 'sha256'), { recursive: true })
  const { architecture, os } = JSON.parse(readFileSync(join(written, blobPath(config.digest)), 'utf8'))
  for (const { digest } of [entry, config, ...layers])
    if (!existsSync(join(folder, blobPath(digest))))
      renameSync(join(written, blobPath(digest)), join(folder, blobPath(digest)))
  const { size } = statSync(join(folder, blobPath(entry.digest)))
  return { mediaType: entry.mediaType, digest: entry.digest, size, platform: { architecture, os } }
}
