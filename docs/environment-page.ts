/** All settings of both programs as a page for people, from the lists that `--help` is printed from. */
import { agentVariables, type Variable } from '../agent/program/agent-variables.ts'
import { controlPlaneVariables } from '../control-plane/read-config.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|')

const table = (variables: readonly (Variable & { secret?: boolean | undefined })[]): string =>
  [
    '| Variable | Default | Meaning |',
    '|---|---|---|',
    ...variables.map(
      ({ name, default: value, meaning, secret }) =>
        `| \`${name}\`${secret ? `, \`${name}_FILE\`` : ''} | ${cell(value)} | ${cell(meaning)} |`,
    ),
  ].join('\n')

export const environmentPage = (): string => `# Environment

Every setting of both programs. An unknown name that looks like one of these, and a value that cannot be right, stop the start with one
message that lists every problem; \`--help\` of each program prints the same list. An empty variable counts as unset.

In containers the charts set these by the names of [their values](kubernetes.md), and compose by [\`.env\`](compose.md).

## The control plane

Where a second name ends in \`_FILE\`, the value may stand in a file that this one names: a secret of Kubernetes, Docker or systemd that is mounted, so that it is in
no environment. Both set is refused, as is a file that is missing, empty or not readable, by its path and with what to do; a line break at its end does not count. A file that
every user of the machine can read is taken, and a line of the log says so. Images run as user 10001 in group 0: a file of mode 0600 has to belong to 10001, one of mode 0640 to that
user or to group 0.

${table(controlPlaneVariables)}

## The agent

Secrets may stand in files here, too.

${table(agentVariables)}
`
