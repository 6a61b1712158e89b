/** Every benchmark can be carried out: small, in seconds, as `npm run bench` does it. Its figures mean nothing then. */
import t from 'tap'
import { benches } from '../../bench/benches.ts'
import { imageStarts } from '../../bench/p22-images.ts'
import { cannotBrowse } from './browser-room.ts'
import { carryOutAll } from './carry-out-benches.ts'
import { binariesOf, oldestPostgres } from './installed-postgres.ts'

/** Files of tests among which the benchmarks are divided: each has to end within twenty minutes on a busy machine. */
const files = 3

const noReplica =
  binariesOf(oldestPostgres) === null ? `PostgreSQL ${oldestPostgres} is not installed` : false

const skips: Record<string, string | false> = { P9: cannotBrowse(), P18: noReplica }

/** Those of one of the files, from 0. What needs images is carried out where they are (`test/images/starts.test.ts`). */
export const carryOut = (file: number): void => {
  const ofFile = benches
    .filter((bench) => bench !== imageStarts)
    .filter((_, position) => position % files === file)
  for (const { id } of ofFile) if (skips[id]) t.test(id, { skip: skips[id] }, () => undefined)
  carryOutAll(ofFile.filter(({ id }) => !skips[id]))
}
