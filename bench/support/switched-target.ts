import { endsWith, startProgram, type Teardown } from '../../test/support/programs.ts'

export type SwitchedTarget = {
  origin: string
  /** Resolves when every request from now on is answered so. */
  fail(failing: boolean): Promise<void>
}

/** A target in a process of its own that fails or not, as it is told. */
export const startSwitchedTarget = async (b: Teardown): Promise<SwitchedTarget> => {
  const program = endsWith(b, startProgram('bench/support/target-program.ts', { args: ['switched'] }))
  const [, port] = await program.line(/^port (\d+)$/)
  const origin = `http://127.0.0.1:${port}`
  return {
    origin,
    fail: async (failing) => {
      const response = await fetch(`${origin}/`, { method: 'PUT', body: String(failing) })
      await response.arrayBuffer()
    },
  }
}
