import { necessaryWalls, type WallName } from '../../protocol/walls.ts'

const meanings: Record<(typeof necessaryWalls)[number], string> = {
  files: "Landlock's for files (Linux 5.13)",
  tcp: "Landlock's for TCP (Linux 6.7)",
  scopes: "Landlock's for signals and abstract sockets (Linux 6.12)",
  seccomp: 'the filter of system calls (seccomp)',
}

/** Why SCRIPT_ISOLATION=required lets no user code run here, or null. */
export const missingWalls = (standing: readonly WallName[]): string | null => {
  const missing = necessaryWalls.filter((name) => !standing.includes(name))
  if (missing.length === 0) return null
  const list = missing.map((name) => meanings[name]).join(', ')
  return `SCRIPT_ISOLATION is "required", and this agent's machine lacks walls round user code: ${list}`
}
