/** Every benchmark can be carried out: small, in seconds, as `npm run bench` does it. Its figures mean nothing then. */
import t from 'tap'
import { benches } from '../../bench/benches.ts'
import { binariesOf, oldestPostgres } from './installed-postgres.ts'
import { startProgram } from './programs.ts'
import { noChromium } from './result-browser.ts'

/** Files of tests among which the benchmarks are divided: each has to end within ten minutes on a busy machine. */
const files = 6

const noReplica =
  binariesOf(oldestPostgres) === null ? `PostgreSQL ${oldestPostgres} is not installed` : false

const skips: Record<string, string | false> = { P9: noChromium, P18: noReplica }

/** Those of one of the files, from 0. */
export const carryOut = (file: number): void => {
  for (const { id, name } of benches.filter((_, position) => position % files === file))
    t.test(`${id} ${name}`, { skip: skips[id] ?? false }, async (t) => {
      const program = startProgram('bench/run.ts', { args: [id], env: { BENCH_SIZE: 'small' } })
      t.teardown(() => program.end('SIGTERM'))
      t.equal(await program.exitCode(), 0, program.output())
      // Rows of P1C and P2H begin with the letters before.
      t.match(program.output(), new RegExp(`\\| ${id.replace(/(?<=\d)[A-Z]$/, '')}\\b`), 'it has a row')
    })
}
