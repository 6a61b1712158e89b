import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import type { Artifact } from '../base/run-log.ts'
import { createByteScrubber } from '../scrub/scrub-bytes.ts'

/** An artifact after its scrubbing: its bytes are read without the job's secrets, or not at all. */
export type CleanArtifact = Omit<Artifact, 'content'> & {
  /** Bytes before secrets were taken out. Rejects when the file is not there. */
  size(): Promise<number>
  bytes(): AsyncGenerator<Buffer>
  /** Removes what the run handed over. */
  discard(): Promise<void>
}

/** `name`: the artifact's, without the secrets. */
type Cleaning = { secrets: readonly string[]; name: string }

/** Scrubs an artifact: its bytes come out without the secrets. */
export const cleanArtifact = (
  { content, ...told }: Artifact,
  { secrets, name }: Cleaning,
): CleanArtifact => ({
  ...told,
  name,
  size: async () => (Buffer.isBuffer(content) ? content.length : (await stat(content.path)).size),
  bytes: async function* () {
    const scrubber = createByteScrubber(secrets, !isText(told.contentType))
    // In pieces also from memory: looking through all of it at once would keep every other check waiting.
    for await (const piece of Buffer.isBuffer(content)
      ? piecesOf(content)
      : createReadStream(content.path, { highWaterMark: pieceBytes }))
      yield scrubber.push(piece as Buffer)
    yield scrubber.end()
  },
  discard: async () => {
    if (!Buffer.isBuffer(content)) await rm(content.path, { force: true })
  },
})

/** Of the worst bytes some ten milliseconds. */
const pieceBytes = 32 * 1024

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

const isText = (contentType: string): boolean =>
  /^(text\/|application\/(json|xml|yaml|javascript|[\w.-]+\+(json|xml)))/i.test(contentType)
