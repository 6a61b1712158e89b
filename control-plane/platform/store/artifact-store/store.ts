/**
 * Files of results: logs, captures, traces, screenshots. And code bundles, which have rows of their own.
 *
 * Words: an *artifact* is a file that a run left behind; its *row* (queries.ts) says what was announced with the report, its
 * bytes are in the *store* under a key. A *part* is what one request uploads. Artifacts become visible when complete: all
 * bytes are there, have the announced hash, and are on disk.
 *
 * Invariant: what a program or a user names is never part of a path: the key is a hash, and the row is the only way from a
 * name to it. A row goes last: what has no row has no bytes either.
 *
 * The store's interface is small enough for object stores (bucket-store.ts) beside the folder (folder-store.ts).
 */
import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { UploadMutex } from './upload-mutex.ts'

export type ArtifactStore = {
  /** How many bytes are there; 0 for what does not exist. */
  size(key: string): Promise<number>
  /**
   * Writes from `offset` on and resolves with the size once that is durable. What was written before a failure stays.
   * @throws Error with the system's `code`, such as ENOSPC; ArtifactError
   */
  write(key: string, offset: number, bytes: AsyncIterable<Uint8Array>): Promise<number>
  /** The bytes from `start` up to `end`, which is not included; null when there is nothing of that key. */
  read(key: string, range: { start: number; end: number }): Promise<Readable | null>
  /** Also when it does not exist. */
  remove(key: string): Promise<void>
  /** Whether it can be worked with, at a start. @throws ArtifactError */
  tryOut(): Promise<void>
}

/** Hexadecimal digits of a fixed length. */
export const artifactKey = (resultId: string, name: string): string =>
  hash('sha256', `${resultId}\n${name}`, 'hex')

/** Where the bytes are, and who may write which of them at the moment. */
type Artifacts = { store: ArtifactStore; uploads: UploadMutex }

export type HasArtifacts = { artifacts: Artifacts }
