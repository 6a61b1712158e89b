import { type Static, Type } from 'typebox'
import type { CodeBundlesTable } from '../../../platform/store/database/tables/code-bundles.ts'
import { toIso } from '../../../platform/words/shapes/instants.ts'

export const Sha256 = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 of the archive, as `sha256sum` prints it',
  examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
})

/** An uploaded archive of a Playwright project. */
export const CodeBundle = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    sha256: Sha256,
    size: Type.Integer({ minimum: 1, description: 'Bytes of the archive' }),
    files: Type.Integer({ minimum: 1, description: 'How many files it holds' }),
    unpackedSize: Type.Integer({ minimum: 0, description: 'Bytes of those files together' }),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'CodeBundle' },
)
export type CodeBundle = Static<typeof CodeBundle>

export const serializeBundle = (row: CodeBundlesTable): CodeBundle => ({
  id: row.id,
  sha256: row.sha256,
  size: row.size,
  files: row.files ?? 0,
  unpackedSize: row.unpacked_size ?? 0,
  created_at: toIso(row.created_at),
})
