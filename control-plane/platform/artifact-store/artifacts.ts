import { createFolderStore } from './folder-store.ts'
import type { ArtifactStore } from './store.ts'
import { createUploadMutex, type UploadMutex } from './upload-mutex.ts'

export type Artifacts = { store: ArtifactStore; uploads: UploadMutex }

export const createArtifacts = (folder: string): Artifacts => ({
  store: createFolderStore(folder),
  uploads: createUploadMutex(),
})
