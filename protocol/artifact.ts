import { type Static, Type } from 'typebox'
import { Instant } from './clock.ts'

/** Kinds of files that a run leaves behind (the asset manifest's). */
export const artifactTypes = ['log', 'trace', 'video', 'screenshot', 'pcap', 'report', 'file'] as const
export type ArtifactType = (typeof artifactTypes)[number]

/** The contract's limit of one file; larger ones are refused, and their result says so. */
export const maxArtifactBytes = 150 * 1024 * 1024
/** Of one run. */
export const maxArtifacts = 500
export const maxRunBytes = maxArtifactBytes

/** The name of a file: one path segment that is the same on every system. */
const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^(?!\\.{1,2}$)[^/\\\\\\u0000-\\u001f\\u007f]+$',
})

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', examples: ['0123456789abcdef'.repeat(4)] })

/**
 * What a report says of a file of its run, which is uploaded beside it. `size` in bytes; `refused`: why it will not come,
 * and then its hash is null.
 */
export const ArtifactNote = Type.Object({
  type: Type.Enum([...artifactTypes]),
  name: Name,
  contentType: Type.String({ minLength: 1, maxLength: 200, pattern: '^[\\x20-\\x7e]+$' }),
  size: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  sha256: Type.Union([Sha256, Type.Null()]),
  refused: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
})
export type ArtifactNote = Static<typeof ArtifactNote>

/**
 * A file is uploaded in parts, each a PATCH at the offset where the one before it ended, in the manner of the IETF's
 * resumable uploads (draft-ietf-httpbis-resumable-upload): `Upload-Offset` says where, GET tells how much is there.
 */
export const artifactPath = '/agent/v1/results/:resultId/artifacts/:name'
/** The path of one file of a result. */
export const artifactPathOf = (resultId: string, name: string): string =>
  artifactPath
    .replace(':resultId', encodeURIComponent(resultId))
    .replace(':name', () => encodeURIComponent(name))

/** Bytes that came before this part; and the type of its content. */
export const uploadOffsetHeader = 'upload-offset'
export const partContentType = 'application/partial-upload'

/**
 * Statuses with a meaning for whoever uploads: the offset is not where the file ends, this is not a file that the control
 * plane waits for, more bytes than announced, and bytes that are not the announced ones (all of them are forgotten).
 */
export const uploadStatus = { elsewhere: 409, unwanted: 410, tooLong: 413, damaged: 422 } as const

/**
 * `complete`: all bytes are there, are the announced ones, and are on disk. `sha256`: the announced one, of whichever agent's report was
 * accepted, where two have made the same run.
 */
export const UploadState = Type.Object({
  serverTime: Instant,
  offset: Type.Integer({ minimum: 0 }),
  size: Type.Integer({ minimum: 0 }),
  complete: Type.Boolean(),
  sha256: Type.Optional(Sha256),
})
export type UploadState = Static<typeof UploadState>
