/** All that a release is, in one folder: the same bytes from the same commit, but for signatures. */
import { randomUUID } from 'node:crypto'
import { existsSync, globSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { chartManifest, packageChart } from './chart-packages.ts'
import { packageCommand } from './command-package.ts'
import type { Sign } from './keys.ts'
import {
  closeLayout,
  type Descriptor,
  type LayoutFiles,
  mediaTypes,
  readManifest,
  readNamed,
  sha256,
  sha256OfFile,
  writeFiles,
} from './oci-layout.ts'
import {
  billStatement,
  type Choices,
  provenanceOf,
  type Statement,
  type Subject,
  type ToolVersions,
} from './provenance.ts'
import { addImages, billPath, type ImageRoom, materialsOf, toolsOf } from './release-images.ts'
import { type Signed, signatureFiles } from './signatures.ts'
import { charts, ReleaseError, type Source } from './source-of-release.ts'

export type Order = {
  source: Source
  choices: Choices
  /** Null: a release without images. */
  images: ImageRoom | null
  sign: Sign | null
  out: string
  /** Of a release that is made again; else those of this machine. */
  tools?: ToolVersions
}

export const sumsFile = 'SHA256SUMS'
export const provenanceFile = 'provenance.json'
export const layoutFolder = 'oci'
const notesFile = 'RELEASE_NOTES.md'

/** @throws ReleaseError where `out` is there already. What is half made is never there under its name. */
export const makeRelease = async (order: Order): Promise<void> => {
  if (existsSync(order.out)) throw new ReleaseError([`${order.out} is there already`])
  mkdirSync(dirname(order.out), { recursive: true })
  // Not by mkdtemp, whose folders are their owner's alone: a release is for others to read.
  const folder = join(dirname(order.out), `.${basename(order.out)}-${randomUUID()}`)
  mkdirSync(folder)
  try {
    await fill(folder, order)
    renameSync(folder, order.out)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

const fill = async (folder: string, { source, choices, images, sign, tools }: Order): Promise<void> => {
  const { version } = source
  const layout: LayoutFiles = new Map()
  const packed = charts.map((name) => packageChart(source, name))
  const command = packageCommand(source)
  const files = new Map<string, Buffer>([
    ...packed.map(({ name, bytes }): [string, Buffer] => [`charts/${name}-${version}.tgz`, bytes]),
    [`npm/watchpost-${version}.tgz`, command.bytes],
    ['sboms/watchpost-command.cdx.json', Buffer.from(`${JSON.stringify(command.bill, null, 1)}\n`)],
  ])
  const released =
    images === null ? [] : await addImages(source, images, { choices, release: folder, files: layout })
  const named = new Map<string, Descriptor>([
    ...released.map(({ repository, index }): [string, Descriptor] => [`${repository}:${version}`, index]),
    ...packed.map((one): [string, Descriptor] => [
      `watchpost/charts/${one.name}:${version}`,
      chartManifest(layout, one, source),
    ]),
  ])
  closeLayout(layout, named)
  writeFiles(join(folder, layoutFolder), layout)
  files.set(notesFile, Buffer.from(notesOf(source, [...named], files)))
  writeFiles(folder, files)
  const provenance = provenanceOf({
    source,
    choices,
    subjects: await subjectsOf(folder),
    materials: images === null ? [] : await materialsOf(source.root, images, choices),
    tools: tools ?? (await toolsOf(images)),
  })
  writeFiles(folder, new Map([[provenanceFile, Buffer.from(`${JSON.stringify(provenance, null, 2)}\n`)]]))
  writeFiles(folder, new Map([[sumsFile, await sumsOf(folder)]]))
  if (sign !== null) writeFiles(folder, signatureFiles(toSign(folder), sign))
}

const notesOf = (
  { version, commit, notes }: Source,
  named: readonly [string, Descriptor][],
  files: ReadonlyMap<string, Buffer>,
): string => {
  const rows = [
    ...named.map(([name, { digest }]) => `| \`${name}\` | \`${digest}\` |`),
    ...[...files].map(([path, bytes]) => `| \`${path}\` | \`sha256:${sha256(bytes)}\` |`),
  ]
  return [
    `# Watchpost ${version}`,
    notes,
    '## What it is made of',
    `Commit \`${commit}\`. \`npm run release -- verify\` in a clone of it makes the same bytes again and says what differs.`,
    ['| | |', '|---|---|', ...rows].join('\n'),
    '',
  ].join('\n\n')
}

/** Every file of a folder, in one order. */
export const filesIn = (folder: string): string[] =>
  globSync('**/*', { cwd: folder })
    .filter((path) => !lstatSync(join(folder, path)).isDirectory())
    .toSorted()

/** What the provenance speaks of: files, and what registries know by a digest. */
export const subjectsOf = async (folder: string): Promise<Subject[]> => {
  const paths = filesIn(folder).filter((path) => /^(charts|npm|sboms)\/|^RELEASE_NOTES/.test(path))
  const files = await Promise.all(
    paths.map(async (path) => ({ name: path, digest: { sha256: await sha256OfFile(join(folder, path)) } })),
  )
  return [...files, ...entriesOf(folder).map(({ name, digest }) => subjectOf(name, digest))]
}

const subjectOf = (name: string, digest: string): Subject => ({
  name,
  digest: { sha256: digest.replace('sha256:', '') },
})

type Entry = { name: string; repository: string; digest: string; bill: string | null }

/** What of the layout is signed: images with the image of each processor, and charts. */
const entriesOf = (folder: string): Entry[] => {
  const layout = join(folder, layoutFolder)
  return [...readNamed(layout)].flatMap(([name, entry]): Entry[] => {
    const repository = name.slice(0, name.lastIndexOf(':'))
    const own = { name, repository, digest: entry.digest, bill: null }
    if (entry.mediaType !== mediaTypes.index) return [own]
    const parts = readManifest(layout, entry).manifests ?? []
    return [
      own,
      ...parts.map(({ digest, platform }) => ({
        name: `${name} (${platform?.os}/${platform?.architecture})`,
        repository,
        digest,
        bill: billPath(repository, platform?.architecture ?? ''),
      })),
    ]
  })
}

/** What is signed of a release, as it lies in its folder. */
export const toSign = (folder: string) => {
  const read = (path: string): Buffer => readFileSync(join(folder, path))
  const provenance = read(provenanceFile)
  const statement: Statement = JSON.parse(provenance.toString('utf8'))
  const signed = entriesOf(folder).map(
    ({ name, repository, digest, bill }): Signed => ({
      repository,
      digest,
      statements: [
        statement,
        ...(bill === null
          ? []
          : [billStatement(subjectOf(name, digest), JSON.parse(read(bill).toString('utf8')))]),
      ],
    }),
  )
  return { signed, sums: read(sumsFile), provenance }
}

/** One line a file, as `sha256sum -c` reads them. */
export const sumsOf = async (folder: string): Promise<Buffer> => {
  const lines: string[] = []
  for (const path of filesIn(folder))
    if (path !== sumsFile) lines.push(`${await sha256OfFile(join(folder, path))}  ${path}\n`)
  return Buffer.from(lines.join(''))
}
