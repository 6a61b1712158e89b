/** The operator's program as operators run it: a child process with an environment of its own. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileCache } from './compile-cache.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export type Ended = {
  exitCode: number | null
  stdout: string
  stderr: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
  json: any
}

export type Admin = (...words: string[]) => Promise<Ended>

export const adminOf = (env: Record<string, string>): Admin => {
  return (...words) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [join(root, 'control-plane/admin.ts'), ...words], {
        cwd: root,
        env: { PATH: process.env['PATH'] ?? '', ...compileCache(), ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let stdout = ''
      let stderr = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text
      })
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text
      })
      child.once('error', reject)
      child.once('close', (exitCode) =>
        resolve({
          exitCode,
          stdout,
          stderr,
          json: words.includes('--json') ? JSON.parse(stdout) : undefined,
        }),
      )
    })
}
