import { ArtifactError } from './platform/store/artifact-store/artifact-error.ts'
import { UnusableStoreError } from './platform/store/database/unusable-store-error.ts'
import type { WholeApp } from './whole-app.ts'

/**
 * Whether the store of artifacts lets us work. One that is away for now is no reason not to start: no result waits for its
 * files, and agents keep theirs.
 * @throws UnusableStoreError when it refuses what we need
 */
export const requireArtifacts = async ({ artifacts, log }: WholeApp): Promise<void> => {
  try {
    await artifacts.store.tryOut()
  } catch (error) {
    if (!(error instanceof ArtifactError)) throw error
    if (error.kind === 'refused')
      throw new UnusableStoreError(
        `${error.message}: make its bucket, correct AWS_REGION, AWS_ENDPOINT_URL and the AWS_* keys, or allow them to put, get, list and delete objects below the prefix.`,
        error,
      )
    log.warn(`${error.message}: agents keep the files of their runs until it is back`)
  }
}
