/** What a run may take for its own thinking: reading what came, judging it, taking secrets out (docs/checks.md). */
export type RunBudget = {
  cpuMs: number
  /** The part of it that is kept for the secrets: without taking them out nothing of a run may be shown. */
  scrubCpuMs: number
  /** V8's old generation in the process that judges; the default is twenty times the largest body. */
  memoryMb: number
}

export const runBudget: RunBudget = { cpuMs: 5000, scrubCpuMs: 1000, memoryMb: 512 }

/** All that a run may do of it on the event loop, where every other check waits meanwhile. */
export const inlineMs = 4

/** How long a run waits for a process to judge it, and how long that may take on a machine that does not get to it. */
export const longestWaitMs = 10_000
export const longestWorkMs = 20_000

/** Runs that wait, and what they hold in memory. */
export const maxWaiting = 1000
export const maxWaitingBytes = 128 * 1024 * 1024

/** CPU time after which a process is replaced; the kernel ends it at twice as much (an agent that was killed leaves none). */
export const workerLifeCpuMs = 60_000
export const workerCpuLimitSeconds = 120

/** A process without work ends itself after this. */
export const idleMs = 10_000
