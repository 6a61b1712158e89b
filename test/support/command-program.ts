/** The program of checks as code as people run it: a child process with an environment of its own, in a folder of its own. */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { compileCache } from './compile-cache.ts'

const program = fileURLToPath(new URL('../../command/main.ts', import.meta.url))

export type Ended = {
  exitCode: number | null
  stdout: string
  stderr: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
  json: any
}

export type Workplace = {
  folder: string
  /** By path below the folder. */
  write(files: Record<string, string>): Promise<void>
  run(...words: string[]): Promise<Ended>
}

type Given = { url: string; apiKey: string; env?: Record<string, string> }

export const workplaceOf = async (t: Test, { url, apiKey, env = {} }: Given): Promise<Workplace> => {
  const folder = await mkdtemp(join(tmpdir(), 'watchpost-as-code-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return {
    folder,
    write: async (files) => {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true })
        await writeFile(join(folder, path), text)
      }
    },
    run: (...words) =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [program, ...words], {
          cwd: folder,
          env: {
            PATH: process.env['PATH'] ?? '',
            ...compileCache(),
            WATCHPOST_URL: url,
            WATCHPOST_API_KEY: apiKey,
            ...env,
          },
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
      }),
  }
}
