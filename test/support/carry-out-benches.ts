/** Benchmarks as `npm run bench` carries them out, but small: in seconds. Their figures mean nothing then. */
import t from 'tap'
import type { Bench } from '../../bench/bench.ts'
import { startProgram } from './programs.ts'

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
