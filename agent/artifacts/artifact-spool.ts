/**
 * Artifacts on disk until the control plane has them: the bytes in a file, what was announced of them in another beside
 * it, written last. They survive our death; what was half written does not.
 *
 * Invariant: the folder never holds more than `room()` bytes for longer than it takes to look: the oldest go first, and
 * that is logged. Another agent may share the folder: what it has removed is gone, which is no error.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ArtifactNote, maxArtifactBytes } from '../../protocol/artifact.ts'
import { compile } from '../../protocol/validate.ts'
import type { Io } from '../io.ts'
import type { CleanArtifact } from './clean-artifact.ts'

export type SpooledArtifact = { jobId: string; note: ArtifactNote; path: string }

export type ArtifactSpool = {
  /** What an earlier agent left, the oldest first. */
  leftBehind: readonly SpooledArtifact[]
  /** Takes an artifact's bytes, or says in its note why not. Rejects when the disk refuses. */
  keep(jobId: string, name: string, artifact: CleanArtifact): Promise<ArtifactNote>
  /** What is kept of a job. */
  of(jobId: string): SpooledArtifact[]
  has(artifact: SpooledArtifact): boolean
  remove(artifact: SpooledArtifact): void
  /** Removes the oldest until `extra` more bytes fit; false if they never will. */
  makeRoom(extra: number): boolean
  stats(): { files: number; bytes: number }
}

export type ArtifactSpoolOptions = {
  dir: string
  /** Bytes that artifacts may take now. */
  room(): number
  /** Of one artifact. */
  maxBytes?: number
  io: Pick<Io, 'log' | 'clock' | 'newId'>
}

const noteExtension = '.json'
/** A file of bytes without its note that is this old belongs to nobody who still writes. */
const abandonedMs = 24 * 3_600_000

export const openArtifactSpool = (options: ArtifactSpoolOptions): ArtifactSpool => {
  const { io, room, maxBytes = maxArtifactBytes } = options
  const dir = join(options.dir, 'artifacts')
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const owner = io.newId().slice(0, 8)
  let sequence = 0
  removeAbandoned(dir, io.clock.now())
  const leftBehind = findSpooled(dir, io)
  /** The oldest first. There may be very many: nothing here looks at all of them. */
  const kept = new Set<SpooledArtifact>()
  const ofJob = new Map<string, SpooledArtifact[]>()
  let bytes = 0

  const add = (artifact: SpooledArtifact): void => {
    kept.add(artifact)
    ofJob.set(artifact.jobId, [...(ofJob.get(artifact.jobId) ?? []), artifact])
    bytes += artifact.note.size
  }

  for (const artifact of leftBehind) add(artifact)

  const remove = (artifact: SpooledArtifact): void => {
    if (!kept.delete(artifact)) return
    const others = (ofJob.get(artifact.jobId) ?? []).filter((one) => one !== artifact)
    if (others.length > 0) ofJob.set(artifact.jobId, others)
    else ofJob.delete(artifact.jobId)
    bytes -= artifact.note.size
    rmSync(artifact.path + noteExtension, { force: true })
    rmSync(artifact.path, { force: true })
  }

  const makeRoom = (extra: number): boolean => {
    if (extra > room()) return false
    for (const oldest of kept) {
      if (bytes + extra <= room()) break
      remove(oldest)
      const { name, size } = oldest.note
      io.log.error(`the spool is full (SPOOL_MAX_MB): dropped the artifact ${name} (${size} bytes)`)
    }
    return true
  }

  const nextPath = (): string => {
    sequence += 1
    const age = String(Math.floor(io.clock.now())).padStart(15, '0')
    return join(dir, `${age}-${String(sequence).padStart(9, '0')}-${owner}`)
  }

  const keep = async (jobId: string, name: string, artifact: CleanArtifact): Promise<ArtifactNote> => {
    const { type, contentType } = artifact
    const size = await artifact.size()
    const refused = (reason: string, bytes = size): ArtifactNote => ({
      type,
      name,
      contentType,
      size: bytes,
      sha256: null,
      refused: reason,
    })
    const limit = `larger than ${maxBytes / 1024 / 1024} MB`
    if (size > maxBytes) return refused(limit)
    if (!makeRoom(size)) return refused('no room in the spool of the agent (SPOOL_MAX_MB)')
    const path = nextPath()
    // Counted from the start, so that several at once do not take the same room.
    bytes += size
    let isKept = false
    try {
      const written = await writeBytes(path, artifact.bytes(), maxBytes)
      // What takes a secret's place may be longer than the secret.
      if (written.size > maxBytes) return refused(limit, written.size)
      const note = { type, name, contentType, ...written }
      await writeFile(`${path}.part`, JSON.stringify({ jobId, note }), { mode: 0o600 })
      await rename(`${path}.part`, path + noteExtension)
      add({ jobId, note, path })
      isKept = true
      return note
    } finally {
      bytes -= size
      if (!isKept) await rm(path, { force: true })
    }
  }

  return {
    leftBehind,
    keep,
    of: (jobId) => ofJob.get(jobId) ?? [],
    has: (artifact) => kept.has(artifact),
    remove,
    makeRoom,
    stats: () => ({ files: kept.size, bytes }),
  }
}

/** Stops after more than `maxBytes`. */
const writeBytes = async (
  path: string,
  bytes: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ size: number; sha256: string }> => {
  const hash = createHash('sha256')
  const file = await open(path, 'wx', 0o600)
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
  readdirSync(dir)
    .filter((file) => file.endsWith(noteExtension))
    .sort()
    .flatMap((file) => {
      const path = join(dir, file.slice(0, -noteExtension.length))
      const spooled = readSpooled(path)
      if (spooled !== null) return [spooled]
      log.warn(`${path}${noteExtension} is damaged or without its file: the artifact is dropped`)
      rmSync(path + noteExtension, { force: true })
      rmSync(path, { force: true })
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
    const { mtimeMs } = statSync(join(dir, name), { throwIfNoEntry: false }) ?? { mtimeMs: now }
    if (now - mtimeMs > abandonedMs) rmSync(join(dir, name), { force: true })
  }
}
