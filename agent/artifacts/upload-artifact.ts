import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { type UploadState, uploadStatus } from '../../protocol/artifact.ts'
import type { Answer, Refusal } from '../reporting/answer.ts'
import type { ControlPlane } from '../reporting/control-plane.ts'
import type { SpooledArtifact } from './artifact-spool.ts'

/** Each part is one request: what is lost with a connection is less than that. */
export const defaultPartBytes = 16 * 1024 * 1024

/**
 * `uploaded`: the control plane has all of it on disk. `unwanted`: it never will. `later`: try again, from where it then
 * is; `moved` when bytes have arrived, `damaged` when they have to be sent again from the first.
 */
export type UploadEnd =
  | { kind: 'uploaded' }
  | { kind: 'unwanted'; message: string }
  | { kind: 'later'; refusal: Refusal; moved: boolean; damaged: boolean }

type UploadContext = { controlPlane: ControlPlane; partBytes: number; signal: AbortSignal }

/** `from`: where the control plane's copy ends, if that is known. */
export const uploadArtifact = async (
  artifact: SpooledArtifact,
  from: number | null,
  { controlPlane, partBytes, signal }: UploadContext,
): Promise<UploadEnd> => {
  const { jobId, note, path } = artifact
  let first: number | null = from
  let offset = from
  let elsewhere = 0
  for (;;) {
    const answer: Answer<UploadState> =
      offset === null
        ? await controlPlane.artifactState(jobId, note.name)
        : await controlPlane.sendArtifact(
            {
              jobId,
              name: note.name,
              offset,
              ...partOf(path, offset, Math.min(partBytes, note.size - offset)),
            },
            signal,
          )
    if (answer.ok && (answer.value.sha256 ?? note.sha256) !== note.sha256)
      return { kind: 'unwanted', message: 'another agent made this run as well, and its file is kept' }
    if (answer.ok && answer.value.complete) return { kind: 'uploaded' }
    if (answer.ok) {
      offset = answer.value.offset
      first ??= offset
    } else if (answer.status === uploadStatus.elsewhere && elsewhere < 3) {
      elsewhere += 1
      offset = null
    } else if (
      answer.reason === 'refused' &&
      answer.status !== uploadStatus.damaged &&
      answer.status !== uploadStatus.elsewhere
    )
      return { kind: 'unwanted', message: answer.message }
    else
      return {
        kind: 'later',
        refusal: answer,
        moved: (offset ?? 0) > (first ?? 0),
        damaged: answer.status === uploadStatus.damaged,
      }
  }
}

const partOf = (path: string, offset: number, length: number): { length: number; body: Readable } => ({
  length,
  body:
    length === 0 ? Readable.from([]) : createReadStream(path, { start: offset, end: offset + length - 1 }),
})
