/**
 * How Node is started for an agent that should take little memory. `npm start` takes the environment only: the arguments
 * more than halve the memory of a busy agent, and nearly double the CPU time of a check (docs/benchmarks.md, P11).
 */

/** V8 collects young objects early and compiles for size. */
export const smallProcessArguments = ['--max-semi-space-size=1', '--optimize-for-size'] as const

/** glibc: one arena beside the main one instead of eight a core, and freed memory goes back to the system. */
export const smallProcessEnvironment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const
