/** An agent that is killed: starts a child behind the walls that would live on, prints its number, and waits for its own end. */
import { realClock } from '../../agent/program/real-io.ts'
import { writeFolder } from '../../agent/isolation/private-folder.ts'
import { programLoader } from '../../agent/isolation/program.ts'
import { createWalls } from '../../agent/isolation/isolation.ts'

const { execPath } = process
const program = programLoader(execPath)
const walls = createWalls({ execPath, clock: realClock(), program })
await walls.standing()
const owner = walls.takeOwner()
const folder = await writeFolder({ program: await program(), modules: null, owner })
const child = walls.launch({
  profile: 'script',
  folder: folder.path,
  writable: folder.writable,
  readable: [],
  brokerPort: null,
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
