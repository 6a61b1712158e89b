/** Every benchmark can be carried out: small, in seconds, as `npm run bench` does it. Its figures mean nothing then. */
import t from 'tap'
import type { Bench } from '../../bench/bench.ts'
import { benches } from '../../bench/benches.ts'
import { imageStarts } from '../../bench/p22-images.ts'
import { cannotBrowse } from './browser-room.ts'
import { binariesOf, oldestPostgres } from './installed-postgres.ts'
import { startProgram } from './programs.ts'

/** Files of tests among which the benchmarks are divided: each has to end within ten minutes on a busy machine. */
const files = 6

const noReplica =
  binariesOf(oldestPostgres) === null ? `PostgreSQL ${oldestPostgres} is not installed` : false

const skips: Record<string, string | false> = { P9: cannotBrowse(), P18: noReplica }

type Small = { skip?: string | false; env?: NodeJS.ProcessEnv }

export const carryOutOne = (
  { id, name }: Pick<Bench, 'id' | 'name'>,
  { skip = false, env = {} }: Small,
): void => {
  t.test(`${id} ${name}`, { skip }, async (t) => {
    const program = startProgram('bench/run.ts', { args: [id], env: { BENCH_SIZE: 'small', ...env } })
    t.teardown(() => program.end('SIGTERM'))
    t.equal(await program.exitCode(), 0, program.output())
    // Rows of P1C and P2H begin with the letters before.
    t.match(program.output(), new RegExp(`\\| ${id.replace(/(?<=\d)[A-Z]$/, '')}\\b`), 'it has a row')
    t.notMatch(program.output(), 'not built here')
  })
}

/** Those of one of the files, from 0. What needs images is carried out where they are (`test/images/starts.test.ts`). */
export const carryOut = (file: number): void => {
  const ofFile = benches
    .filter((bench) => bench !== imageStarts)
    .filter((_, position) => position % files === file)
  for (const bench of ofFile) carryOutOne(bench, { skip: skips[bench.id] ?? false })
}
