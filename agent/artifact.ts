import type { ArtifactType } from '../protocol/artifact.ts'

/**
 * A file that a run leaves behind: shown beside its result. `content` is its bytes, or the path of a file that the run
 * hands over: it is there until the agent has taken it, which then removes it. Secrets are found in the bytes as they are:
 * whoever makes an archive takes them out first.
 */
export type Artifact = {
  type: ArtifactType
  /** A plain file name. Of several with one name each gets its own. */
  name: string
  contentType: string
  content: Buffer | { path: string }
}
