/** Which of the files that a report announces are waited for. Pure. */
import { type ArtifactNote, maxArtifactBytes, maxRunBytes } from '../../../protocol/artifact.ts'
import type { ArtifactKind } from '../../../protocol/artifact-kinds.ts'
import type { ArtifactAllowances } from './allowances.ts'
import type { ArtifactUsage } from './usage.ts'

/** `refused`: why it will never come. */
type AdmittedNote = { note: ArtifactNote; refused: string | null }

type Bounds = { kinds: readonly ArtifactKind[]; usage: ArtifactUsage; allowances: ArtifactAllowances }

/** In the order of the report, each name once. */
export const admitArtifacts = (notes: readonly ArtifactNote[], bounds: Bounds): AdmittedNote[] => {
  const admitted = new Map<string, AdmittedNote>()
  let bytes = 0
  for (const note of notes) {
    if (admitted.has(note.name)) continue
    const refused = whyRefused(note, bytes + note.size, bounds)
    if (refused === null) bytes += note.size
    admitted.set(note.name, { note, refused })
  }
  return [...admitted.values()]
}

/** `runBytes`: of the run, this file included. */
const whyRefused = (note: ArtifactNote, runBytes: number, bounds: Bounds): string | null => {
  const { refused, size, sha256 } = note
  const { kinds, usage, allowances } = bounds
  if (refused !== undefined) return refused
  if (size > maxArtifactBytes) return `larger than ${inMegabytes(maxArtifactBytes)}`
  if (sha256 === null) return 'announced without its hash'
  if (!kinds.some(({ type, contentType }) => type === note.type && contentType === note.contentType))
    return 'checks of this type leave no such file'
  if (runBytes > maxRunBytes)
    return `the files of this run are larger than ${inMegabytes(maxRunBytes)} together`
  if (usage.location + runBytes > allowances.location)
    return 'the files of this location have used up their allowance (ARTIFACTS_LOCATION_MAX_GB)'
  if (usage.account + runBytes > allowances.account)
    return 'the files of this account have used up their allowance (ARTIFACTS_ACCOUNT_MAX_GB)'
  return null
}

const inMegabytes = (bytes: number): string => `${bytes / 1024 / 1024} MB`
