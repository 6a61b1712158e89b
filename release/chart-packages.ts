/** Charts as Helm packages them, and as registries keep them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { addBlob, type Descriptor, type LayoutFiles, mediaTypes } from './oci-layout.ts'
import { git, type Source } from './source-of-release.ts'
import { type ArchiveFile, writeArchive } from './write-archive.ts'

export type ChartPackage = { name: string; metadata: object; bytes: Buffer }

const layerType = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip'
const configType = 'application/vnd.cncf.helm.config.v1+json'

/** What is committed of a chart; links, such as those to dashboards, become what they lead to. */
export const packageChart = ({ root, seconds }: Source, folder: string): ChartPackage => {
  const at = `helm/${folder}/`
  const metadata = parse(readFileSync(join(root, at, 'Chart.yaml'), 'utf8'))
  const paths = git(root, ['ls-files', '-z', '--', at]).split('\0').filter(Boolean).toSorted()
  const files: ArchiveFile[] = paths.map((path) => ({
    path: `${metadata.name}/${path.slice(at.length)}`,
    bytes: readFileSync(join(root, path)),
  }))
  const isFirst = ({ path }: ArchiveFile): boolean => path === `${metadata.name}/Chart.yaml`
  // Helm looks for it first.
  const inOrder = [...files.filter(isFirst), ...files.filter((file) => !isFirst(file))]
  return { name: metadata.name, metadata, bytes: writeArchive(inOrder, seconds) }
}

export const chartManifest = (
  files: LayoutFiles,
  { metadata, bytes }: ChartPackage,
  { version, commit, seconds }: Source,
): Descriptor => {
  const { name, description } = metadata as { name: string; description: string }
  const config = addBlob(files, configType, metadata)
  const layer = addBlob(files, layerType, bytes)
  return addBlob(files, mediaTypes.manifest, {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config,
    layers: [layer],
    annotations: {
      'org.opencontainers.image.title': name,
      'org.opencontainers.image.description': description,
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.revision': commit,
      'org.opencontainers.image.created': new Date(seconds * 1000).toISOString(),
    },
  })
}
