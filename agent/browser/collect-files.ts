import { type FileHandle, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { type ArtifactType, maxArtifactBytes } from '../../protocol/artifact.ts'
import { type ArtifactKind, scriptFileKinds } from '../../protocol/artifact-kinds.ts'
import { scriptBounds } from '../../protocol/checks/script-bounds.ts'
import { compile } from '../../protocol/validate.ts'
import { inFile, inFolder, type OpenFolder, readSmall, walkFolder } from '../base/open-folder.ts'
import { folderPrefix } from '../isolation/private-folder.ts'
import { nothingSeen } from './nothing-seen.ts'
import { runFiles } from './run-files.ts'
import { SeenState } from './task.ts'

/** A file that a run left, out of the reach of its processes. `automatic`: the script has not asked for it. */
export type CollectedFile = {
  type: ArtifactType
  name: string
  contentType: string
  path: string
  automatic: boolean
}

export type Collected = { seen: SeenState; files: CollectedFile[]; missing: readonly Missing[] }

/** What there was no room for. */
type Missing = { name: string; size: number }

const maxFiles = 200
const maxBytes = 400 * 1024 * 1024
const maxSeenBytes = 4 * 1024 * 1024
const maxEntries = 20_000
/** Whose `SeenState` is read. */
const maxProcesses = 50

/**
 * Takes what a run left in its folder, whose processes have ended, as copies of the agent's own; links are not followed. `given`: the
 * files that were there before. What tells most comes first.
 */
export const collectFiles = async (
  writable: string,
  given: ReadonlySet<string>,
  newId: () => string,
): Promise<Collected> =>
  inFolder(writable, async (folder) => {
    const left: Left[] = []
    await walkLeft(folder, given, async (found, at) => {
      // A hard link could be a second name of a file that is not the run's.
      const { size = 0, nlink = 0 } = (await inFile(at, (file) => file.stat())) ?? {}
      if (nlink === 1) left.push({ ...found, size })
    })
    const { chosen, missing } = choose(left)
    const copies = new Map<string, string>()
    await walkLeft(folder, given, async ({ root, path }, at) => {
      const one = chosen.find((other) => other.root === root && other.path === path)
      if (one === undefined) return
      const kept = join(tmpdir(), `${folderPrefix}file-${newId()}`)
      if (await inFile(at, (file) => copyOut(file, one.size, kept))) copies.set(join(root, path), kept)
    })
    const files = chosen.flatMap((one) => {
      const kept = copies.get(join(one.root, one.path))
      return kept === undefined ? [] : [asCollected({ ...one, kept })]
    })
    return { seen: await readSeen(folder.at(runFiles.seen)), files, missing }
  })

const maxNamed = 5

/** A sentence that names the first ones. */
export const missingInWords = (missing: readonly Missing[]): string => {
  const named = missing
    .slice(0, maxNamed)
    .map(({ name, size }) => `${name} (${(size / 1024 / 1024).toFixed(1)} MB)`)
  const more = missing.length > maxNamed ? [`${missing.length - maxNamed} more files`] : []
  return `Not kept: ${[...named, ...more].join(', ')}; a run may leave ${maxFiles} files, each of at most ${maxArtifactBytes / 1024 / 1024} MB`
}

type Found = { root: (typeof roots)[number]; path: string; kind: ArtifactKind }
type Left = Found & { size: number }

const roots = [runFiles.output, runFiles.project] as const

const walkLeft = async (
  folder: OpenFolder,
  given: ReadonlySet<string>,
  visit: (found: Found, at: string) => Promise<void>,
): Promise<void> => {
  for (const root of roots)
    await walkFolder(
      folder.at(root),
      async ({ path, at }) => {
        const kind = kindOf(path)
        const wasGiven = root === runFiles.project && (given.has(path) || path === 'package.json')
        if (kind !== undefined && !wasGiven) await visit({ root, path, kind }, at)
      },
      { maxEntries, enters: isCollected },
    )
}

/** A trace that is too large is made smaller later. Nothing that is too large takes the room of others. */
const choose = (left: readonly Left[]): { chosen: Left[]; missing: Missing[] } => {
  const chosen: Left[] = []
  const missing: Missing[] = []
  let bytes = 0
  for (const one of left.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const isSmall = one.size <= maxArtifactBytes || one.kind.type === 'trace'
    const fits = isSmall && chosen.length < maxFiles && bytes + one.size <= maxBytes
    if (fits) bytes += one.size
    if (fits) chosen.push(one)
    else missing.push({ name: nameOf(one.path), size: one.size })
  }
  return { chosen, missing }
}

/** The control plane takes files in their order, until those of the run have their room. */
const rankOf = ({ path, kind }: Found): number =>
  nameOf(path) === runFiles.report ? 0 : kind.type === 'trace' ? 1 : 2

/** Of its place in its folder. */
const nameOf = (path: string): string => path.replace(/^results\//, '').replaceAll('/', '-')

const isCollected = (name: string): boolean => !name.startsWith('.') && name !== 'node_modules'

const kindOf = (path: string): ArtifactKind | undefined =>
  basename(path).startsWith('.') ? undefined : scriptFileKinds[extname(path).toLowerCase()]

/** Its bytes alone: by its mode it could be a program that runs as whoever owns it. */
const copyOut = async (file: FileHandle, size: number, kept: string): Promise<true> => {
  const bytes = file.createReadStream({ autoClose: false, start: 0, end: Math.max(0, size - 1) })
  try {
    await writeFile(kept, bytes, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    await rm(kept, { force: true })
    throw error
  }
}

const asCollected = ({
  root,
  path,
  kept,
  kind: { type, contentType },
}: Found & { kept: string }): CollectedFile => {
  const name = nameOf(path)
  return {
    type: name === runFiles.report ? 'report' : type,
    name,
    contentType,
    path: kept,
    automatic: root === runFiles.output && /^(page|trace)-\d+\.(png|zip)$/.test(name),
  }
}

const validate = compile(SeenState)

/** Of all processes together. A file that does not have this shape is not trusted. */
const readSeen = async (folder: string): Promise<SeenState> => {
  const sum = nothingSeen()
  const add = (state: SeenState): void => {
    sum.browserVersion ??= state.browserVersion
    sum.browserDeath ??= state.browserDeath
    for (const name of ['consoleErrors', 'networkErrors', 'documentErrors', 'userScriptErrors'] as const)
      sum[name] += state[name]
    sum.pages.push(...state.pages)
    sum.steps.push(...state.steps)
    sum.pageErrors.push(...state.pageErrors)
    sum.leftOut.push(...state.leftOut)
    sum.hidden.push(...state.hidden)
  }
  await walkFolder(
    folder,
    async ({ at }) => {
      const text = await readSmall(at, maxSeenBytes)
      const state = text === null ? null : parse(text)
      if (state !== null) add(state)
    },
    { maxEntries: maxProcesses, enters: () => false },
  )
  const steps = sum.steps.toSorted((a, b) => a.startedAt - b.startedAt || a.depth - b.depth)
  return {
    ...sum,
    pages: sum.pages.slice(0, 100),
    steps: steps.slice(-scriptBounds.steps),
    pageErrors: sum.pageErrors.slice(0, scriptBounds.pageErrors),
  }
}

const parse = (text: string): SeenState | null => {
  try {
    const checked = validate(JSON.parse(text))
    return checked.ok ? checked.value : null
  } catch {
    // No JSON: nothing that our program has written.
    return null
  }
}
