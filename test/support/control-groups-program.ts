/**
 * An agent's sandbox in a machine that has control groups: it says how runs ended that wanted too much, and what is left of their
 * groups. Its argument: the folder of its own group.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentIo } from './agent-io.ts'
import { runScriptWith } from './scripts.ts'

const [, , folder = ''] = process.argv
const groups = (): string[] => readdirSync(folder).filter((name) => name.startsWith('watchpost-run-'))

export type Told = {
  layers: readonly string[]
  problem: string | null
  ordinary: string | null
  greedy: string | null
  left: { before: string[]; after: string[] }
  own: string
}

// As of an agent that was killed.
mkdirSync(join(folder, 'watchpost-run-earlier'))
const io = agentIo({ isolated: true })
const { layers, problem } = await io.isolation.status()
const before = groups()
const run = runScriptWith(io)
const take = 'const all = []; for (let i = 0; i < 900; i += 1) all.push(Buffer.alloc(1 << 20, 1))'
const ordinary = await run('const all = Buffer.alloc(100 << 20, 1)')
const greedy = await run(take)
await io.endScripts()
const told: Told = {
  ...{ layers, problem, ordinary: ordinary.problem, greedy: greedy.problem },
  left: { before, after: groups() },
  own: readFileSync('/proc/self/cgroup', 'utf8').trim(),
}
process.stdout.write(`told ${JSON.stringify(told)}\n`)
