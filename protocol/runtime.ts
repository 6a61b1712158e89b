/**
 * The closed list of runtimes, newest first. A runtime is a fixed set of dependencies a script runs with.
 * The API writes `2026.04`; the agent's folders and images write `2026-04`.
 */
export const runtimeIds = [
  '2026.04',
  '2025.04',
  '2024.09',
  '2024.02',
  '2023.09',
  '2023.02',
  '2022.10',
] as const

export type RuntimeId = (typeof runtimeIds)[number]

/** `2026-04`, as folders and images are named. */
export const hyphenated = (id: RuntimeId): string => id.replace('.', '-')
