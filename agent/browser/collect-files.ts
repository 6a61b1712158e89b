import { lstat, readdir, readFile, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join, relative } from 'node:path'
import type { ArtifactType } from '../../protocol/artifact.ts'
import { type ArtifactKind, scriptFileKinds } from '../../protocol/artifact-kinds.ts'
import { scriptBounds } from '../../protocol/checks/script-bounds.ts'
import { compile } from '../../protocol/validate.ts'
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

/**
 * Takes what a run left in its folder, whose processes have ended: no path can change its meaning any more, and links are not
 * followed. `given`: the files that were there before.
 */
export const collectFiles = async (
  writable: string,
  given: ReadonlySet<string>,
  newId: () => string,
): Promise<Collected> => {
  const project = join(writable, runFiles.project)
  const output = join(writable, runFiles.output)
  const found = [
    ...(await filesIn(output)),
    ...(await filesIn(project)).filter(
      ({ path }) => !given.has(relative(project, path)) && relative(project, path) !== 'package.json',
    ),
  ]
  const files: CollectedFile[] = []
  let bytes = 0
  let missing = 0
  for (const { path, size } of found) {
    const kind = scriptFileKinds[extname(path).toLowerCase()]
    if (kind === undefined) continue
    bytes += size
    if (files.length >= maxFiles || bytes > maxBytes) missing += 1
    else
      files.push(
        await take(path, {
          root: path.startsWith(`${output}/`) ? output : project,
          kind,
          kept: join(tmpdir(), `${folderPrefix}file-${newId()}`),
        }),
      )
  }
  return { seen: await readSeen(join(writable, runFiles.seen)), files, missing }
}

type Entry = { path: string; size: number }

const filesIn = async (folder: string): Promise<Entry[]> => {
  const folders = [folder]
  const files: Entry[] = []
  let entries = 0
  for (const one of folders) {
    for (const entry of await entriesOf(one)) {
      entries += 1
      if (entries > maxEntries) return files
      const path = join(one, entry.name)
      if (entry.name.startsWith('.')) continue
      if (entry.isDirectory() && entry.name !== 'node_modules') folders.push(path)
      if (!entry.isFile()) continue
      const { size, nlink } = await lstat(path)
      // A hard link could be a second name of a file that is not the run's.
      if (nlink === 1) files.push({ path, size })
    }
  }
  return files
}

const entriesOf = async (folder: string) => {
  try {
    if (!(await lstat(folder)).isDirectory()) return []
    return await readdir(folder, { withFileTypes: true })
  } catch {
    // The run has not made it, or has taken it away.
    return []
  }
}

const take = async (
  path: string,
  { root, kind: { type, contentType }, kept }: { root: string; kind: ArtifactKind; kept: string },
): Promise<CollectedFile> => {
  const inRoot = relative(root, path).replace(/^results\//, '')
  await rename(path, kept)
  const isReport = inRoot === runFiles.report
  return {
    type: isReport ? 'report' : type,
    name: inRoot.replaceAll('/', '-'),
    contentType,
    path: kept,
    automatic: /^(page|trace)-\d+\.(png|zip)$/.test(inRoot) && root.endsWith(`/${runFiles.output}`),
  }
}

const validate = compile(SeenState)

/** Of all processes together. A file that does not have this shape is not trusted. */
const readSeen = async (folder: string): Promise<SeenState> => {
  const sum = nothingSeen()
  for (const { path, size } of (await filesIn(folder)).slice(0, 50)) {
    const state = size > maxSeenBytes ? null : parse(await readFile(path, 'utf8'))
    if (state === null) continue
    sum.browserVersion ??= state.browserVersion
    for (const name of ['consoleErrors', 'networkErrors', 'documentErrors', 'userScriptErrors'] as const)
      sum[name] += state[name]
    sum.pages.push(...state.pages)
    sum.steps.push(...state.steps)
    sum.pageErrors.push(...state.pageErrors)
    sum.leftOut.push(...state.leftOut)
    sum.hidden.push(...state.hidden)
  }
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
