import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { CannotRun } from '../base/cannot-run.ts'

/** The files of the program that runs inside a child, as JavaScript: their names in the folder, and their code. */
export type Program = readonly { name: string; code: string }[]

/**
 * `script`: what runs scripts of API checks; `browser`: what runs those of browser and multi-step checks; `suite`: the
 * stages of Playwright suites.
 */
type ProgramKind = 'script' | 'browser' | 'suite'

/** Loads it once; what could not be loaded is tried again for the next one who asks. */
export const programLoader = (execPath: string, kind: ProgramKind = 'script'): (() => Promise<Program>) => {
  let loading: Promise<Program> | null = null
  return () => {
    loading ??= loadProgram(execPath, kind).catch((error: unknown) => {
      // Perhaps the next one finds more memory.
      loading = null
      throw error
    })
    return loading
  }
}

/**
 * Taking the types out at every start would cost each script three times what Node itself takes, so it is done once, in a
 * process of its own that may print warnings where nobody reads them.
 */
const loadProgram = async (execPath: string, kind: ProgramKind): Promise<Program> => {
  const stripper = fileURLToPath(new URL('strip-program.ts', import.meta.url))
  try {
    const { stdout } = await promisify(execFile)(execPath, ['--no-warnings', stripper, kind], {
      env: {},
      maxBuffer: 1024 * 1024,
      timeout: 30_000,
    })
    return JSON.parse(stdout) as Program
  } catch (error) {
    throw new CannotRun(`This agent cannot start processes for scripts: ${(error as Error).message}`)
  }
}
