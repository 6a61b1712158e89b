/** An agent that is killed: starts a child in isolation that would live on, prints its number, and waits for its own end. */

import { createIsolation } from '../../agent/isolation/isolation.ts'
import { writeFolder } from '../../agent/isolation/private-folder.ts'
import { programLoader } from '../../agent/isolation/program.ts'
import { realClock } from '../../agent/program/real-io.ts'

const { execPath } = process
const program = programLoader(execPath)
const isolation = createIsolation({ execPath, clock: realClock(), program })
await isolation.status()
const owner = isolation.takeOwner()
const folder = await writeFolder({ program: await program(), modules: null, owner })
const child = isolation.launch({
  profile: 'script',
  folder: folder.path,
  writable: folder.writable,
  readable: [],
  egressProxyPort: null,
  owner,
  // It holds on to nothing of its parent's.
  args: [
    '-e',
    'require("fs").writeSync(3, "up"); for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
  ],
  env: {},
})
child.stdio[3]?.once('data', () => {
  process.stdout.write(`${JSON.stringify({ pid: child.pid, folder: folder.path })}\n`)
})
setInterval(() => undefined, 60_000)
