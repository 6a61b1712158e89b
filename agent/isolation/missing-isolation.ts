import { type IsolationLayer, requiredLayers } from '../../protocol/isolation.ts'

const meanings: Record<(typeof requiredLayers)[number], string> = {
  files: "Landlock's for files (Linux 5.13)",
  tcp: "Landlock's for TCP (Linux 6.7)",
  scopes: "Landlock's for signals and abstract sockets (Linux 6.12)",
  seccomp: 'the filter of system calls (seccomp)',
}

/** Why SCRIPT_ISOLATION=required lets no user code run here, or null. */
export const missingIsolation = (status: readonly IsolationLayer[]): string | null => {
  const missing = requiredLayers.filter((name) => !status.includes(name))
  if (missing.length === 0) return null
  const list = missing.map((name) => meanings[name]).join(', ')
  return `SCRIPT_ISOLATION is "required", and this agent's machine lacks isolation of user code: ${list}`
}
