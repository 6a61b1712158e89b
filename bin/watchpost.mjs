#!/usr/bin/env node
/**
 * `npx watchpost <command>`: checks as code (command/main.ts), or the operator's program (control-plane/admin.ts), under the
 * Node that provision.mjs provides.
 */
import { spawnSync } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const asCode = ['plan', 'apply', 'validate', 'export', 'import', 'run', 'schema']
const task = asCode.includes(process.argv[2] ?? '') ? 'command' : 'admin'
const provision = fileURLToPath(new URL('../provision.mjs', import.meta.url))
const { status, signal, error } = spawnSync(
  process.execPath,
  [provision, task, ...process.argv.slice(2)],
  // Programs run in the folder of the clone; file arguments mean the folder of the caller.
  { stdio: 'inherit', env: { ...process.env, INIT_CWD: process.env.INIT_CWD ?? process.cwd() } },
)
if (error) throw error
process.exitCode = status ?? 128 + constants.signals[signal]
