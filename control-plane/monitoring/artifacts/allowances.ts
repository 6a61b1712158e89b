/** Bytes of files that one account and one location may have in the store. */
import { type Reader, readGigabytes, type Variable } from '../../platform/settings/reading.ts'

export type ArtifactAllowances = { account: number; location: number }

export type HasAllowances = { config: { artifactAllowances: ArtifactAllowances } }

export const allowanceVariables: readonly Variable[] = [
  {
    name: 'ARTIFACTS_ACCOUNT_MAX_GB',
    default: '20',
    meaning:
      'most that the files of results and the code bundles of one account take; what comes then is refused until older ones go',
  },
  {
    name: 'ARTIFACTS_LOCATION_MAX_GB',
    default: '10',
    meaning: 'the same for the files that the agents of one location upload',
  },
]

const gigabyte = 1024 ** 3

export const readAllowances = (reader: Reader): ArtifactAllowances =>
  Object.freeze({
    account: readGigabytes(reader, 'ARTIFACTS_ACCOUNT_MAX_GB') ?? 20 * gigabyte,
    location: readGigabytes(reader, 'ARTIFACTS_LOCATION_MAX_GB') ?? 10 * gigabyte,
  })
