/** Every benchmark can be carried out: small, in seconds, as `npm run bench` does it. Its figures mean nothing then. */
import t from 'tap'
import { benches } from '../../bench/benches.ts'
import { startProgram } from './programs.ts'
import { noChromium } from './result-browser.ts'

/** Files of tests among which the benchmarks are divided: each has to end within ten minutes on a busy machine. */
const files = 4

/** Those that somebody has to ask for take what time they are given, and P16 counts a year of hours whatever its size. */
const asked = benches.filter(({ id, onRequest }) => onRequest === undefined && id !== 'P16')

const skip = (id: string) => (id === 'P9' ? noChromium : false)

/** Those of one of the files, from 0. */
export const carryOut = (file: number): void => {
  for (const { id, name } of asked.filter((_, position) => position % files === file))
    t.test(`${id} ${name}`, { skip: skip(id) }, async (t) => {
      const program = startProgram('bench/run.ts', { args: [id], env: { BENCH_SIZE: 'small' } })
      t.teardown(() => program.end('SIGTERM'))
      t.equal(await program.exitCode(), 0, program.output())
      // Rows of P1C and P2H begin with the letters before.
      t.match(program.output(), new RegExp(`\\| ${id.replace(/(?<=\d)[A-Z]$/, '')}\\b`), 'it has a row')
    })
}
