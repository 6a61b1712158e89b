/**
 * The isolation of user code that a kernel can hold (docs/security.md): Landlock's for files, TCP and what other processes
 * own (signals, abstract sockets), the filter of system calls, a user of its own, an agent that inherits orphans, a view of /proc
 * without the processes of others, file systems of a run's own, with a size, and a control group of its own, with a limit of memory.
 */
export const isolationLayers = [
  'files',
  'tcp',
  'scopes',
  'seccomp',
  'own-uid',
  'subreaper',
  'processes',
  'disk',
  'memory',
] as const

export type IsolationLayer = (typeof isolationLayers)[number]

/** Without one of these, code of users can reach what is not its own. */
const requiredLayers = ['files', 'tcp', 'scopes', 'seccomp'] as const satisfies IsolationLayer[]

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
