/** What the probe says of kernels that have less than this one: the launcher is told of an older interface, and takes no more. */
import t from 'tap'
import { type Kernel, openKernel } from '../../../agent/isolation/kernel.ts'
import { partsOf } from '../../../agent/isolation/landlock.ts'
import { claimUids, createOwners } from '../../../agent/isolation/owners.ts'
import { probe } from '../../../agent/isolation/probe.ts'
import { programLoader } from '../../../agent/isolation/program.ts'
import { systemFiles } from '../../../agent/isolation/system-files.ts'
import { realClock } from '../../../agent/program/real-io.ts'
import { letChildrenThrough } from '../../support/attempts.ts'

t.setTimeout(450_000)
letChildrenThrough()

const { execPath } = process
const program = programLoader(execPath)

const probed = async (change: Partial<Kernel>, files = systemFiles(execPath)) => {
  const kernel = { ...(await openKernel()), ...change }
  const tools = { execPath, self: kernel.pid, kernel, systemFiles: files }
  return probe({
    program: await program(),
    clock: realClock(),
    owner: createOwners(await claimUids()).take(),
    groups: null,
    tools,
  })
}

t.test('a layer stands where a child has run against it, whatever else is missing', async (t) => {
  const { landlockVersion } = await openKernel()
  for (const version of [0, 1, 3, 4, 5, 6].filter((one) => one <= landlockVersion)) {
    const { layers } = await probed({ landlockVersion: version })
    const parts = partsOf(version)
    for (const name of ['files', 'tcp', 'scopes'] as const)
      t.equal(layers.includes(name), parts[name], `interface ${version}: ${name}`)
  }
})

t.test('where no child can be started in isolation, none stands, and the reason is told', async (t) => {
  const missing = { path: '/watchpost/none', file: true, may: 'read' } as const
  const { landlockVersion } = await openKernel()
  if (landlockVersion > 0) {
    const { layers, problem } = await probed({}, [missing])
    t.strictSame(layers, [])
    t.match(problem, /ENOENT.*\/watchpost\/none/)
  }
  const { layers, problem } = await probed({ koffi: '/watchpost/koffi.cjs' })
  t.strictSame(layers, [])
  t.match(problem, /Cannot find module '\/watchpost\/koffi.cjs'/)
})
