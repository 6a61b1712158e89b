import { type FileHandle, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import type { ArtifactType } from '../../protocol/artifact.ts'
import { type ArtifactKind, scriptFileKinds } from '../../protocol/artifact-kinds.ts'
import { scriptBounds } from '../../protocol/checks/script-bounds.ts'
import { compile } from '../../protocol/validate.ts'
import { inFile, inFolder, readSmall, walkFolder } from '../base/open-folder.ts'
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

export type Collected = { seen: SeenState; files: CollectedFile[]; missing: number }

const maxFiles = 200
const maxBytes = 400 * 1024 * 1024
const maxSeenBytes = 4 * 1024 * 1024
const maxEntries = 20_000
/** Whose `SeenState` is read. */
const maxProcesses = 50

/**
 * Takes what a run left in its folder, whose processes have ended, as copies of the agent's own; links are not followed. `given`: the
 * files that were there before.
 */
export const collectFiles = async (
  writable: string,
  given: ReadonlySet<string>,
  newId: () => string,
): Promise<Collected> =>
  inFolder(writable, async (folder) => {
    const files: CollectedFile[] = []
    const sum = { bytes: 0, missing: 0 }
    for (const root of [runFiles.output, runFiles.project] as const)
      await walkFolder(
        folder.at(root),
        async ({ path, at }) => {
          const kind = kindOf(path)
          const wasGiven = root === runFiles.project && (given.has(path) || path === 'package.json')
          if (kind === undefined || wasGiven) return
          const kept = join(tmpdir(), `${folderPrefix}file-${newId()}`)
          const isKept = await keep(at, kept, { hasRoom: files.length < maxFiles, sum })
          if (isKept) files.push(asCollected({ path, kept, kind }, root))
        },
        { maxEntries, enters: isCollected },
      )
    const seen = await readSeen(folder.at(runFiles.seen))
    return { seen, files, missing: sum.missing }
  })

const isCollected = (name: string): boolean => !name.startsWith('.') && name !== 'node_modules'

const kindOf = (path: string): ArtifactKind | undefined =>
  basename(path).startsWith('.') ? undefined : scriptFileKinds[extname(path).toLowerCase()]

type Keeping = { hasRoom: boolean; sum: { bytes: number; missing: number } }

/** Whether it was copied. */
const keep = async (at: string, kept: string, { hasRoom, sum }: Keeping): Promise<boolean> => {
  const isKept = await inFile(at, async (file) => {
    const { size, nlink } = await file.stat()
    // A hard link could be a second name of a file that is not the run's.
    if (nlink > 1) return false
    sum.bytes += size
    const fits = hasRoom && sum.bytes <= maxBytes
    if (fits) await copyOut(file, size, kept)
    else sum.missing += 1
    return fits
  })
  return isKept === true
}

/** Its bytes alone: by its mode it could be a program that runs as whoever owns it. */
const copyOut = async (file: FileHandle, size: number, kept: string): Promise<void> => {
  const bytes = file.createReadStream({ autoClose: false, start: 0, end: Math.max(0, size - 1) })
  try {
    await writeFile(kept, bytes, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    await rm(kept, { force: true })
    throw error
  }
}

const asCollected = (
  { path, kept, kind: { type, contentType } }: { path: string; kept: string; kind: ArtifactKind },
  root: string,
): CollectedFile => {
  const inRoot = path.replace(/^results\//, '')
  return {
    type: inRoot === runFiles.report ? 'report' : type,
    name: inRoot.replaceAll('/', '-'),
    contentType,
    path: kept,
    automatic: root === runFiles.output && /^(page|trace)-\d+\.(png|zip)$/.test(inRoot),
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
