/** The leader of a stage of a suite: runs its command in a shell, and tells how it ended. Nobody trusts what comes out. */
import { spawn } from 'node:child_process'
import { readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { suiteFiles } from '../../run-files.ts'
import type { StageEvent, StageTask } from '../task.ts'

const { process } = globalThis
/** What shells say of a command that they find and cannot run. */
const cannotRun = 126
const tell = (event: StageEvent): void => void writeSync(3, `${JSON.stringify(event)}\n`)

const { command, cwd, env }: StageTask = JSON.parse(readFileSync(0, 'utf8'))
const pidFile = join(process.cwd(), 'tmp', suiteFiles.runner)
const shell = spawn('/bin/sh', ['-c', command], { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] })
// There is a shell: what is gone is the folder, which a command before has taken away or hidden.
shell.once('error', ({ message }) => {
  tell({ type: 'started' })
  writeSync(2, `The command cannot begin in its folder: ${message}\n`)
  tell({ type: 'ended', code: cannotRun, signal: null })
  process.exit(0)
})
shell.once('spawn', () => tell({ type: 'started' }))
shell.once('exit', (code, signal) => {
  tell({ type: 'ended', code, signal })
  process.exit(0)
})

/** Playwright puts away its traces and its browser when it is interrupted; others just end. */
process.on('SIGINT', () => {
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGINT')
  } catch {
    shell.kill('SIGTERM')
  }
})
