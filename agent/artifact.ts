/** Kinds of files that a run leaves behind (api-facts 12, "Asset manifest entry"). */
export type ArtifactType = 'log' | 'trace' | 'video' | 'screenshot' | 'pcap' | 'report' | 'file'

/**
 * A file that a run leaves behind: shown beside its result. `name` is unique within the run and is a plain file name;
 * `content` is its bytes, or the path of a file in a private folder of the run.
 */
export type Artifact = {
  type: ArtifactType
  name: string
  contentType: string
  content: Buffer | { path: string }
}
