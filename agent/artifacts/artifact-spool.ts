/**
 * Artifacts on disk until the control plane has them: the bytes in a file, what was announced of them in another beside
 * it, written last. They survive our death; what was half written does not.
 *
 * Invariant: the folder never holds more than `capacity()` bytes for longer than it takes to look: the oldest go first, and
 * that is logged. Another agent may share the folder: what it has removed is gone, which is no error.
 */
import { createHash } from 'node:crypto'
import { accessSync, constants, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ArtifactNote, maxArtifactBytes } from '../../protocol/artifact.ts'
import { compile } from '../../protocol/validate.ts'
import type { Io } from '../net/io.ts'
import { diskError, filesIn, isGone, makeSpoolFolder } from '../reporting/spool-folder.ts'
import type { CleanArtifact } from './clean-artifact.ts'

/** An artifact on disk. `path`: of its bytes; what was announced of it lies beside them. */
export type SpooledArtifact = { jobId: string; note: ArtifactNote; path: string }

export type ArtifactSpool = {
  /** What an earlier agent left, the oldest first. */
  leftBehind: readonly SpooledArtifact[]
  /** Takes an artifact's bytes, or says in its note why not. Rejects when the disk refuses. */
  keep(jobId: string, name: string, artifact: CleanArtifact): Promise<ArtifactNote>
  /** What is kept of a job. */
  of(jobId: string): SpooledArtifact[]
  has(artifact: SpooledArtifact): boolean
  /** Whether its bytes can be read: a folder may be removed, or change its owner, under a running agent. */
  isReadable(artifact: SpooledArtifact): boolean
  remove(artifact: SpooledArtifact): void
  /** Removes the oldest until `extra` more bytes fit; false if they never will. */
  makeRoom(extra: number): boolean
  stats(): { files: number; bytes: number }
}

export type ArtifactSpoolOptions = {
  dir: string
  /** Bytes that artifacts may take now. */
  capacity(): number
  /** Of one artifact. */
  maxBytes?: number
  io: Pick<Io, 'log' | 'clock' | 'newId'>
}

const noteExtension = '.json'
/** A file of bytes without its note that is this old is no longer being written. */
const abandonedMs = 24 * 3_600_000

type ArtifactSpoolState = Omit<ArtifactSpoolOptions, 'maxBytes'> & {
  maxBytes: number
  /** In the names of all our files: they never clash with those of an earlier or another agent. */
  owner: string
  sequence: number
  /** The oldest first. There may be very many: nothing here looks at all of them. */
  retained: Set<SpooledArtifact>
  ofJob: Map<string, SpooledArtifact[]>
  /** On disk, and of what is being written. */
  bytes: number
}

/** Opens the folder `artifacts` in `dir`, with what an earlier agent left in it. `keep` rejects where it cannot be used. */
export const openArtifactSpool = (options: ArtifactSpoolOptions): ArtifactSpool => {
  const { io } = options
  const dir = join(options.dir, 'artifacts')
  const state: ArtifactSpoolState = {
    ...options,
    dir,
    maxBytes: options.maxBytes ?? maxArtifactBytes,
    owner: io.newId().slice(0, 8),
    sequence: 0,
    retained: new Set(),
    ofJob: new Map(),
    bytes: 0,
  }
  const leftBehind = takeOver(dir, io)
  for (const artifact of leftBehind) add(state, artifact)
  return {
    leftBehind,
    keep: (jobId, name, artifact) => keep(state, artifact, { jobId, name }),
    of: (jobId) => state.ofJob.get(jobId) ?? [],
    has: (artifact) => state.retained.has(artifact),
    isReadable: ({ path }) => isReadable(path),
    remove: (artifact) => remove(state, artifact),
    makeRoom: (extra) => makeRoom(state, extra),
    stats: () => ({ files: state.retained.size, bytes: state.bytes }),
  }
}

const takeOver = (dir: string, io: ArtifactSpoolOptions['io']): SpooledArtifact[] => {
  try {
    makeSpoolFolder(dir)
    removeAbandoned(dir, io.clock.now())
    return findSpooled(dir, io)
  } catch (error) {
    io.log.error(`${diskError(`SPOOL_DIR: ${dir} cannot be used`, error)}: files of runs are not kept`)
    return []
  }
}

const isReadable = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    // Whatever the reason, its caller says that the file is dropped.
    return false
  }
}

const add = (state: ArtifactSpoolState, artifact: SpooledArtifact): void => {
  const { jobId, note } = artifact
  state.retained.add(artifact)
  state.ofJob.set(jobId, [...(state.ofJob.get(jobId) ?? []), artifact])
  state.bytes += note.size
}

const remove = (state: ArtifactSpoolState, artifact: SpooledArtifact): void => {
  const { jobId, note, path } = artifact
  if (!state.retained.delete(artifact)) return
  const others = (state.ofJob.get(jobId) ?? []).filter((one) => one !== artifact)
  if (others.length > 0) state.ofJob.set(jobId, others)
  else state.ofJob.delete(jobId)
  state.bytes -= note.size
  removeFiles(path, state.io)
}

/** What cannot be removed is found again by a later agent, and refused by the control plane as known. */
const removeFiles = (path: string, { log }: Pick<Io, 'log'>): void => {
  try {
    rmSync(path + noteExtension, { force: true })
    rmSync(path, { force: true })
  } catch (error) {
    log.error(diskError(`${path} cannot be removed`, error))
  }
}

const makeRoom = (state: ArtifactSpoolState, extra: number): boolean => {
  const { capacity, retained, io } = state
  if (extra > capacity()) return false
  for (const oldest of retained) {
    if (state.bytes + extra <= capacity()) break
    remove(state, oldest)
    const { name, size } = oldest.note
    io.log.error(`the spool is full (SPOOL_MAX_MB): dropped the artifact ${name} (${size} bytes)`)
  }
  return true
}

type FileName = { jobId: string; name: string }

const keep = async (
  state: ArtifactSpoolState,
  artifact: CleanArtifact,
  file: FileName,
): Promise<ArtifactNote> => {
  const size = await artifact.size()
  if (size > state.maxBytes) return refusal(artifact, file, { size, refused: tooLarge(state) })
  if (!makeRoom(state, size))
    return refusal(artifact, file, { size, refused: 'no room in the spool of the agent (SPOOL_MAX_MB)' })
  return write(state, artifact, { ...file, size })
}

const tooLarge = ({ maxBytes }: ArtifactSpoolState): string => `larger than ${maxBytes / 1024 / 1024} MB`

const refusal = (
  { type, contentType }: CleanArtifact,
  { name }: FileName,
  { size, refused }: { size: number; refused: string },
): ArtifactNote => ({ type, name, contentType, size, sha256: null, refused })

const write = async (
  state: ArtifactSpoolState,
  artifact: CleanArtifact,
  file: FileName & { size: number },
): Promise<ArtifactNote> => {
  const { jobId, name, size } = file
  const { type, contentType } = artifact
  const path = nextPath(state)
  // Counted from the start, so that several at once do not take the same room.
  state.bytes += size
  let isRetained = false
  try {
    const written = await writeBytes(path, artifact.bytes(), state.maxBytes)
    // What takes a secret's place may be longer than the secret.
    if (written.size > state.maxBytes)
      return refusal(artifact, file, { size: written.size, refused: tooLarge(state) })
    const note = { type, name, contentType, ...written }
    await writeFile(`${path}.part`, JSON.stringify({ jobId, note }), { mode: 0o600 })
    await rename(`${path}.part`, path + noteExtension)
    add(state, { jobId, note, path })
    isRetained = true
    return note
  } finally {
    state.bytes -= size
    if (!isRetained) await rm(path, { force: true })
  }
}

const nextPath = (state: ArtifactSpoolState): string => {
  state.sequence += 1
  const age = String(Math.floor(state.io.clock.now())).padStart(15, '0')
  return join(state.dir, `${age}-${String(state.sequence).padStart(9, '0')}-${state.owner}`)
}

const openNew = async (path: string): Promise<FileHandle> => {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    if (!isGone(error)) throw error
    makeSpoolFolder(dirname(path))
    return open(path, 'wx', 0o600)
  }
}

/** Stops after more than `maxBytes`. */
const writeBytes = async (
  path: string,
  bytes: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ size: number; sha256: string }> => {
  const hash = createHash('sha256')
  const file = await openNew(path)
  let size = 0
  try {
    for await (const piece of bytes) {
      size += piece.length
      if (size > maxBytes) break
      hash.update(piece)
      await file.writeFile(piece)
    }
  } finally {
    await file.close()
  }
  return { size, sha256: hash.digest('hex') }
}

const validateNote = compile(ArtifactNote)

const findSpooled = (dir: string, { log }: Pick<Io, 'log'>): SpooledArtifact[] =>
  filesIn(dir, noteExtension, log).flatMap((file) => {
    const path = file.path.slice(0, -noteExtension.length)
    const spooled = readSpooled(path)
    if (spooled !== null) return [spooled]
    log.warn(`${file.path} is damaged or without its file: the artifact is dropped`)
    removeFiles(path, { log })
    return []
  })

const readSpooled = (path: string): SpooledArtifact | null => {
  try {
    const { jobId, note } = JSON.parse(readFileSync(path + noteExtension, 'utf8')) as Partial<SpooledArtifact>
    const checked = validateNote(note)
    if (typeof jobId !== 'string' || !checked.ok || statSync(path).size !== checked.value.size) return null
    return { jobId, note: checked.value, path }
  } catch {
    // Not readable, or not JSON: the caller says so and lets it go.
    return null
  }
}

const removeAbandoned = (dir: string, now: number): void => {
  const names = new Set(readdirSync(dir))
  for (const name of names) {
    if (name.endsWith(noteExtension) || names.has(name + noteExtension)) continue
    const stats = statSync(join(dir, name), { throwIfNoEntry: false })
    if (stats?.isFile() && now - stats.mtimeMs > abandonedMs) rmSync(join(dir, name), { force: true })
  }
}
