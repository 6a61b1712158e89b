import type { RuntimeId } from '../../protocol/runtime.ts'

/**
 * The runtimes whose API scripts this agent takes (service-interface "Private location agent releases"). It brings Node
 * itself and none of their packages: a script that asks for one is told so by name (child/limit-modules.ts).
 */
export const scriptRuntimes: readonly RuntimeId[] = ['2026.04', '2025.04']
