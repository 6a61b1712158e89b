// Runs in test:all only: it carries out a third of the benchmarks.
/** Benchmarks do not rot (test/support/small-benches.ts). */
import { carryOut } from '../support/small-benches.ts'

carryOut(0)
