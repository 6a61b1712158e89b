/** Every benchmark can be carried out: small, in seconds, as `npm run bench` does it. Its figures mean nothing then. */
import t from 'tap'
import type { Bench } from '../../bench/bench.ts'
import { benches } from '../../bench/benches.ts'
import { imageStarts } from '../../bench/p22-images.ts'
import { cannotBrowse } from './browser-room.ts'
import { binariesOf, oldestPostgres } from './installed-postgres.ts'
import { startProgram } from './programs.ts'

/** Files of tests among which the benchmarks are divided: each has to end within twenty minutes on a busy machine. */
const files = 6

const noReplica =
  binariesOf(oldestPostgres) === null ? `PostgreSQL ${oldestPostgres} is not installed` : false

const skips: Record<string, string | false> = { P9: cannotBrowse(), P18: noReplica }

type Named = Pick<Bench, 'id'>
type Small = { skip?: string | false; env?: NodeJS.ProcessEnv }

/** In one program, as `npm run bench` does it: what it loads is most of what small ones cost. */
export const carryOutAll = (all: readonly Named[], { skip = false, env = {} }: Small = {}): void => {
  const ids = all.map(({ id }) => id)
  t.test(ids.join(', '), { skip }, async (t) => {
    const program = startProgram('bench/run.ts', { args: ids, env: { BENCH_SIZE: 'small', ...env } })
    t.teardown(() => program.end('SIGTERM'))
    t.equal(await program.exitCode(), 0, program.output())
    // Rows of P1C and P2H begin with the letters before.
    for (const id of ids)
      t.match(program.output(), new RegExp(`\\| ${id.replace(/(?<=\d)[A-Z]$/, '')}\\b`), `${id} has a row`)
    t.notMatch(program.output(), 'not built here')
  })
}

/** Those of one of the files, from 0. What needs images is carried out where they are (`test/images/starts.test.ts`). */
export const carryOut = (file: number): void => {
  const ofFile = benches
    .filter((bench) => bench !== imageStarts)
    .filter((_, position) => position % files === file)
  for (const { id } of ofFile) if (skips[id]) t.test(id, { skip: skips[id] }, () => undefined)
  carryOutAll(ofFile.filter(({ id }) => !skips[id]))
}
