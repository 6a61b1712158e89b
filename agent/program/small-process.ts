/**
 * How Node is started for an agent, wherever it is: little memory for little speed (docs/decisions/speed.md, P11).
 * V8 takes the size of its young generation only before it runs: so these are arguments, not settings of the program.
 */

import { smallHeapGrowthPercent } from './heap-growth.ts'

/** V8 would let young objects take 64 MB and old ones double; with 1 MB for the young a check costs noticeably more. */
export const smallProcessArguments = [
  '--max-semi-space-size=2',
  `--heap-growing-percent=${smallHeapGrowthPercent}`,
] as const

/** Whether this process was started so. */
export const isSmallProcess = (execArgv: readonly string[]): boolean =>
  smallProcessArguments.every((argument) => execArgv.includes(argument))

/** glibc: one arena beside the main one instead of eight a core, and freed memory goes back to the system. */
export const smallProcessEnvironment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const
