/**
 * The closed list of runtimes and what is in them. A runtime is a fixed set of dependencies a script runs with; it is
 * never changed, only superseded.
 */
import { type RuntimeId, runtimeIds } from '../../../protocol/runtime.ts'
import { packageVersions } from './package-versions.ts'
import type { Runtime } from './schema.ts'

type About = Pick<Runtime, 'nodeJsVersion' | 'stage' | 'runtimeEndOfLife' | 'multiStepSupport'>

/** A runtime ends with the Node.js release line it is built on (https://nodejs.org/en/about/previous-releases). */
const endOfNode: Record<string, string> = {
  '16': '2023-09-11',
  '18': '2025-04-30',
  '22': '2027-04-30',
  '24': '2028-04-30',
}

const about = (nodeJsVersion: string, stage: About['stage'], multiStepSupport: boolean): About => ({
  nodeJsVersion,
  stage,
  runtimeEndOfLife: endOfNode[nodeJsVersion.split('.')[0] ?? ''] ?? null,
  multiStepSupport,
})

const abouts: Record<RuntimeId, About> = {
  '2026.04': about('24.13.1', 'CURRENT', true),
  '2025.04': about('22.11.0', 'STABLE', true),
  '2024.09': about('18.20.3', 'DEPRECATED', true),
  '2024.02': about('18.20.3', 'DEPRECATED', true),
  '2023.09': about('18.20.3', 'DEPRECATED', true),
  '2023.02': about('16.20.2', 'DEPRECATED', false),
  '2022.10': about('16.20.2', 'DEPRECATED', false),
}

const rows = packageVersions
  .trim()
  .split('\n')
  .map((line) => line.split(/\s+/))

const dependenciesOf = (column: number): Record<string, string> =>
  Object.fromEntries(
    rows.flatMap(([name = '', ...versions]) => {
      const version = versions[column]
      return version === undefined || version === '-' ? [] : [[name, version]]
    }),
  )

/** Newest first. */
export const runtimes: readonly Runtime[] = runtimeIds.map((name, column) => {
  const dependencies = dependenciesOf(column)
  const { nodeJsVersion } = abouts[name]
  return {
    name,
    ...abouts[name],
    description: `Node.js ${nodeJsVersion}, Playwright ${dependencies['playwright']}`,
    dependencies,
  }
})
