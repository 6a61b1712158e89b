/**
 * Half of the start of a program is the compilation of its sources: `test/run.ts` names a folder in NODE_COMPILE_CACHE
 * where Node keeps what it compiled, for the test files and the programs they start.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { smallProcessArguments } from '../../agent/program/small-process.ts'
import { controlPlaneArguments } from '../../control-plane/small-process.ts'

/** For the environment of a program that gets nothing else of ours. */
export const compileCache = (): Record<string, string> => {
  const folder = process.env['NODE_COMPILE_CACHE']
  return folder ? { NODE_COMPILE_CACHE: folder } : {}
}

/** What Node compiled is kept when a program ends by itself: tests that kill theirs find it only if another ended before. */
export async function fillCompileCache(env: NodeJS.ProcessEnv): Promise<void> {
  const programs = [
    [...controlPlaneArguments, 'control-plane/main.ts'],
    [...smallProcessArguments, 'agent/main.ts'],
  ]
  await Promise.all(
    programs.map((args) =>
      once(spawn(process.execPath, [...args, '--help'], { env, stdio: 'ignore' }), 'exit'),
    ),
  )
}
