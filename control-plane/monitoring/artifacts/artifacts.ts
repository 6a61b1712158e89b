import { createFolderStore } from './folder-store.ts'
import type { ArtifactStore } from './store.ts'
import { createTurns, type Turns } from './turns.ts'

export type Artifacts = { store: ArtifactStore; turns: Turns }

export const createArtifacts = (folder: string): Artifacts => ({
  store: createFolderStore(folder),
  turns: createTurns(),
})
