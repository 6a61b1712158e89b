/**
 * fast-check for all tests: with this run's seed and length. A property that fails says its seed; `TEST_SEED` repeats it, since
 * no property takes its chance from the one before it.
 */
import fc, { type Arbitrary } from 'fast-check'
import { byLength } from './length.ts'
import { seed } from './seed.ts'

fc.configureGlobal({ seed, numRuns: byLength({ short: 100, all: 100, long: 2000 }) })

export { type Arbitrary, fc }
