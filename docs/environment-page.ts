/** All settings of both programs as a page for people, from the lists that `--help` is printed from. */
import { agentVariables, type Variable } from '../agent/program/agent-variables.ts'
import { controlPlaneVariables } from '../control-plane/read-config.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|')

const table = (variables: readonly Variable[]): string =>
  [
    '| Variable | Default | Meaning |',
    '|---|---|---|',
    ...variables.map(
      ({ name, default: value, meaning }) => `| \`${name}\` | ${cell(value)} | ${cell(meaning)} |`,
    ),
  ].join('\n')

export const environmentPage = (): string => `# Environment

Every setting of both programs. An unknown name that looks like one of these, and a value that cannot be right, stop the start with one
message that lists every problem; \`--help\` of each program prints the same list. An empty variable counts as unset.

In containers the charts set these by the names of [their values](kubernetes.md), and compose by [\`.env\`](compose.md).

## The control plane

${table(controlPlaneVariables)}

## The agent

${table(agentVariables)}
`
