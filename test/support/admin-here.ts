/**
 * The operator's program without its process, which costs a second to start: where a test asks for many refusals, or looks at
 * what another command did. The program itself is in admin-program.ts.
 */
import { fileURLToPath } from 'node:url'
import { realClock } from '../../agent/program/real-io.ts'
import { runAdmin } from '../../control-plane/run-admin.ts'
import type { Admin } from './admin-program.ts'

const folder = fileURLToPath(new URL('../..', import.meta.url))

export const adminHere = (env: Record<string, string>): Admin => {
  const { now, sleep } = realClock()
  return async (...words) => {
    let told = ''
    const progress = (line: string): void => {
      told += `${line}\n`
    }
    const { exitCode, stdout, stderr } = await runAdmin(words, { env, now, sleep, progress, folder })
    const json = words.includes('--json') ? JSON.parse(stdout) : undefined
    return { exitCode, stdout, stderr: `${told}${stderr}`, json }
  }
}
