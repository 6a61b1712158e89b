/** What a file of a result is to people, and which of them a page shows. Pure. */
import type { ArtifactsTable } from '../../platform/store/database/tables/artifacts.ts'

type Artifact = Pick<ArtifactsTable, 'type' | 'name' | 'content_type' | 'completed_at'>

/** The only types that a browser is ever told of: nothing of these is a document. */
const shownTypes: Readonly<Record<string, readonly string[]>> = {
  screenshot: ['image/png', 'image/jpeg'],
  video: ['video/webm'],
}

/** The type under which the file is shown, or null: it can be kept only. */
export const shownAs = ({ type, content_type, completed_at }: Artifact): string | null =>
  completed_at === null ? null : (shownTypes[type]?.find((known) => known === content_type) ?? null)

export const isShown = (file: Artifact): boolean => shownAs(file) !== null

export const isTrace = ({ type, content_type, completed_at }: Artifact): boolean =>
  completed_at !== null && type === 'trace' && content_type === 'application/zip'

/** `Screenshot`, `Packet capture` */
export const kindInWords = ({ type, name }: Artifact): string =>
  name.toLowerCase().endsWith('.har') ? 'HTTP archive' : (words[type] ?? 'File')

const words: Readonly<Record<string, string>> = {
  screenshot: 'Screenshot',
  video: 'Video',
  trace: 'Trace',
  pcap: 'Packet capture',
  report: 'Report',
  log: 'Log',
}
