/**
 * For a test file that somebody runs by itself: tap's own limit of 30 s for a whole file is too short on a busy machine.
 * `test/run.ts` sets TAP_TIMEOUT, and then that counts. Imported for its effect by the support that slow files use, and
 * by slow files that use none.
 */
const wholeFileMs = 600_000

// Not at the top: benchmarks use the same support, and the hooks of a test runner are half of what a promise costs.
if (process.env['TAP_TIMEOUT'] === undefined) (await import('tap')).default.setTimeout(wholeFileMs)
