/**
 * The isolation of user code that a kernel can hold (docs/security.md): Landlock's for files, TCP and what other processes
 * own (signals, abstract sockets), the filter of system calls, a user of its own, and an agent that inherits orphans.
 */
export const isolationLayers = ['files', 'tcp', 'scopes', 'seccomp', 'own-uid', 'subreaper'] as const

export type IsolationLayer = (typeof isolationLayers)[number]

/** Without one of these, code of users can reach what is not its own. */
export const requiredLayers = ['files', 'tcp', 'scopes', 'seccomp'] as const satisfies IsolationLayer[]
