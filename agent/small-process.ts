/**
 * How Node is started for an agent, so that it takes little memory from the machine that it watches: `npm start` and
 * the images start it so. The figures are in docs/benchmarks.md (P11).
 */

/** V8 collects young objects early and compiles for size: most of an agent's life is waiting for the network. */
export const smallProcessArguments = ['--max-semi-space-size=1', '--optimize-for-size'] as const

/** glibc: one arena beside the main one instead of eight a core, and freed memory goes back to the system. */
export const smallProcessEnvironment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const
