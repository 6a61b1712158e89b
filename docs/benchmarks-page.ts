/** The table of figures as a page for people, from what `npm run bench` left in bench/results. */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Row } from '../bench/bench.ts'
import { type MachineSpeed, shownSpeed } from '../bench/support/machine-speed.ts'

type Results = {
  bench: string
  measures: string
  machine: {
    date: string
    node: string
    cores: number
    processor: string
    memoryGb: number
    commit?: string
    /** Results that are older than its measurement have none. */
    speed?: MachineSpeed
  }
  rows: Row[]
}

const folder = fileURLToPath(new URL('../bench/results', import.meta.url))
const cell = (text: string): string => text.replaceAll('|', '\\|')
const numberOf = (id: string): number => Number(/^P(\d+)/.exec(id)?.[1] ?? 1000)

const readResults = (): Results[] =>
  globSync('*.json', { cwd: folder })
    .map((name): Results => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')))
    .toSorted((a, b) => numberOf(a.bench) - numberOf(b.bench) || (a.measures < b.measures ? -1 : 1))

const verdicts = { true: 'met', false: '**missed**', null: '–' }

const lineOf = ({ machine }: Results, { name, work, ours, against, ratio, goal, met }: Row): string => {
  const speed = machine.speed ? shownSpeed(machine.speed) : '–'
  const cells = [name, work, ours, against, ratio, goal, verdicts[`${met}`], speed, machine.commit ?? '–']
  return `| ${cells.map(cell).join(' | ')} |`
}

const machineOf = ({ machine: { date, node, cores, processor, memoryGb } }: Results): string =>
  `${cores} virtual cores (${processor}), ${memoryGb} GB, Node ${node.slice(1)}, ${date}`

export const benchmarksPage = (results: readonly Results[] = readResults()): string => `# Benchmarks

\`npm run bench\` runs every benchmark, \`npm run bench -- P1 P3\` some of them. Each stands beside its peer or limit in the same run,
and leaves its figures in \`bench/results/\`, from which \`node docs/generate-benchmarks.ts\` makes this page. The programs run as users
run them: processes of their own, set by their environment; CPU time is what the kernel accounts to them. The peer of P1 is Debian's
\`prometheus-blackbox-exporter\`; where it is not installed, ours is measured alone. Nothing here is a test: a goal that is missed is a
row of the table. What bounds those that miss is in [decisions/speed.md](decisions/speed.md). The rows are of one run of all of them at
one commit, but for those that take an hour each and are asked for by name (P16P, P19): they carry their own.

Measured on ${[...new Set(results.map(machineOf))].join('; ')}. The last column is the commit.
The one before is the speed of the machine just then: rounds per CPU-second of a fixed piece of work (objects, JSON, SHA-256, bytes
through a file) in a process of its own, directly before and after the benchmark: one number, or two (before → after) where they
differ by more than a tenth, or – where it was not measured yet. It is no figure of ours: what was measured while the machine was half
as fast can be compared with another hour by its ratio only.

| # | Work | Ours | Peer or limit | Ratio | Goal | | Machine | At |
|---|---|---|---|---|---|---|---|---|
${results.flatMap((result) => result.rows.map((row) => lineOf(result, row))).join('\n')}

## What each one measures

${[...new Map(results.map(({ bench, measures }) => [measures, `- **${bench}**: ${measures}.`])).values()].join('\n')}
`
