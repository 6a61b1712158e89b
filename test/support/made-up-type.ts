/**
 * A check type that nobody needs: it looks whether a number is even. As the three files and the three lines that the recipe
 * in CONTRIBUTING.md asks for, in the words of somebody who follows it.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const protocol = `import { type Static, Type } from 'typebox'
import { AssertionOutcome } from '../assertion.ts'
import { type CheckProtocol, runLimits } from './check-protocol.ts'
import { measured, responseTimeSummary } from './metric.ts'

export const ParitySpec = Type.Object({ number: Type.Integer() })
export type ParitySpec = Static<typeof ParitySpec>

export const ParityCheckResult = Type.Object({
  assertions: Type.Array(AssertionOutcome),
  number: Type.Integer(),
  remainder: Type.Integer(),
})
export type ParityCheckResult = Static<typeof ParityCheckResult>

export const parityProtocol: CheckProtocol = {
  queue: 'uptime',
  runLimitMs: runLimits.uptime,
  spec: ParitySpec,
  detail: ParityCheckResult,
  resultProperty: 'parityCheckResult',
  metrics: [measured('remainder', 'What is left of a division by two', { unit: 'count' })],
  summary: responseTimeSummary,
}
`

const agent = `import { type ParityCheckResult, ParitySpec } from '../../protocol/checks/parity.ts'
import type { Observation } from '../../protocol/result.ts'
import { runner } from './runner.ts'

export const runParity = async ({ number }: ParitySpec): Promise<Observation> => {
  const remainder = Math.abs(number % 2)
  return {
    responseTime: 2,
    failure:
      remainder === 0 ? null : { code: 'ODD', message: \`The number \${number} is odd.\`, network: false },
    assertions: [],
    degraded: false,
    metrics: { remainder },
    detail: { assertions: [], number, remainder } satisfies ParityCheckResult,
  }
}

export const parityRunner = runner(ParitySpec, runParity)
`

const controlPlane = `import { Type } from 'typebox'
import type { ParityCheckResult, ParitySpec } from '../../../../protocol/checks/parity.ts'
import { factList, section } from '../../../platform/html/section.ts'
import { sharedFields } from '../../../platform/shapes/shared-fields.ts'
import type { CheckDoc } from '../check-doc.ts'
import { byLocation } from './analytics.ts'
import type { CheckKind } from './check-kind.ts'
import type { DetailReader } from './detail-reader.ts'
import { subMinuteFrequency } from './fields.ts'

const parityDetail: DetailReader<ParityCheckResult> = {
  sections: ({ number, remainder }) => [
    section(
      'Division by two',
      factList([
        ['Number', String(number)],
        ['Remainder', String(remainder)],
      ]),
    ),
  ],
}

/** Whether a number is even. */
export const parity: CheckKind = {
  type: 'PARITY',
  path: 'parity',
  title: 'ParityCheck',
  words: 'a parity check',
  label: 'Parity check',
  note: 'Fails when the number is odd.',
  fields: { ...sharedFields, number: Type.Integer(), ...subMinuteFrequency },
  required: ['name', 'number'],
  example: { name: 'Even', number: 4, locations: ['eu-west-1'] },
  scheduled: true,
  takesVariables: false,
  needsRuntime: () => false,
  spec: ({ doc }): ParitySpec => ({ number: (doc as CheckDoc & ParitySpec).number }),
  analytics: { path: 'parity-checks', groupings: [byLocation] },
  detail: parityDetail,
}
`

const files: Record<string, string> = {
  'protocol/checks/parity.ts': protocol,
  'agent/checks/parity.ts': agent,
  'control-plane/monitoring/checks/types/parity.ts': controlPlane,
}

/** Index files, what the line names, and what the line is. */
const lines: Record<string, [name: string, registry: RegExp]> = {
  'protocol/checks/index.ts': ['parityProtocol', /export const checkProtocols = \{\n/],
  'agent/checks/index.ts': ['parityRunner', /export const runners[^=]*= \{\n/],
  'control-plane/monitoring/checks/types/index.ts': ['parity', /export const checkKinds[^=]*= \{\n/],
}

/** Adds it to the sources in `folder`; the paths that were touched. */
export const addMadeUpType = async (folder: string): Promise<string[]> => {
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text)
  for (const [path, [name, registry]] of Object.entries(lines)) {
    const before = await readFile(join(folder, path), 'utf8')
    const after = before.replace(registry, (opening) => `${opening}  PARITY: ${name},\n`)
    if (after === before) throw new Error(`${path} has no registry`)
    await writeFile(join(folder, path), `import { ${name} } from './parity.ts'\n${after}`)
  }
  return [...Object.keys(files), ...Object.keys(lines)]
}
