/** Charts rendered by the real helm, as objects. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { parseAllDocuments } from 'yaml'
import { type HelmMajor, type HelmOutcome, helm, helmMajors } from './helm-program.ts'
import { runsIn } from './length.ts'

export type Manifest = {
  apiVersion: string
  kind: string
  metadata: {
    name: string
    namespace?: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
  }
  // biome-ignore lint/suspicious/noExplicitAny: the specs of a dozen kinds, which their schemas judge
  spec?: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  data?: any
}

export type ChartName = 'agent' | 'control-plane'
export type ChartValues = { [name: string]: unknown }

export const chartFolder = (chart: ChartName): string =>
  fileURLToPath(new URL(`../../helm/${chart}`, import.meta.url))

/** The least that each chart asks for. */
export const leastValues: { [chart in ChartName]: ChartValues } = {
  agent: {
    controlPlaneUrl: 'https://watchpost.example',
    apiKey: { existingSecret: 'agent-key' },
  },
  'control-plane': {},
}

/** Without a cluster the chart refuses to make any. */
const keys: ChartValues = {
  encryptionKey: Buffer.alloc(32, 7).toString('base64'),
  accountId: '00000000-0000-4000-8000-000000000001',
  apiKey: `wp_${'a'.repeat(43)}`,
  agentKey: `pl_${'a'.repeat(32)}`,
}

type Given = { chart: ChartName; values: ChartValues; folder?: string; major?: HelmMajor | undefined }

/** Runs helm over a chart with values in a file; keys of the control plane are given unless `secrets` says something. */
export const helmWith = async (
  command: readonly string[],
  { chart, values, folder = chartFolder(chart), major }: Given,
): Promise<HelmOutcome> => {
  const home = await mkdtemp(join(tmpdir(), 'watchpost-helm-'))
  try {
    const file = join(home, 'values.yaml')
    await writeFile(file, JSON.stringify(chart === 'control-plane' ? { secrets: keys, ...values } : values))
    return await helm([...command, folder, '--values', file], home, major)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

export const manifestsIn = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => {
      const [problem] = document.errors
      if (problem !== undefined) throw problem
      return document.toJS() as Manifest | null
    })
    .filter((manifest) => manifest !== null)

/** The manifests of a release named `wp` in the namespace `monitoring`. */
export const rendered = async (
  chart: ChartName,
  values: ChartValues,
  major?: HelmMajor,
): Promise<Manifest[]> => {
  const command = [
    'template',
    'wp',
    '--namespace',
    'monitoring',
    '--api-versions',
    'monitoring.coreos.com/v1',
  ]
  const { code, stdout, stderr } = await helmWith(command, { chart, values, major })
  if (code !== 0) throw new Error(stderr)
  return manifestsIn(stdout)
}

/** What helm prints once the release `wp` is in the namespace `monitoring`. */
export const notes = async (chart: ChartName, values: ChartValues): Promise<string> => {
  const command = ['install', 'wp', '--dry-run=client', '--namespace', 'monitoring']
  const { code, stdout, stderr } = await helmWith(command, { chart, values })
  if (code !== 0) throw new Error(stderr)
  return stdout.slice(stdout.indexOf('\nNOTES:'))
}

/** Both take turns where they run through the same templates; in a long run each does all. */
export const majorsInTurn = (turn: number): readonly HelmMajor[] =>
  helmMajors.filter((_, n) => runsIn('long') || n === turn % helmMajors.length)

/** What majors of helm say of values that they refuse; the paths of Helm 3, `- a.b:`, in the way of Helm 4. */
export const refusal = async (
  t: Test,
  chart: ChartName,
  values: ChartValues,
  majors: readonly HelmMajor[] = helmMajors,
): Promise<string[]> =>
  Promise.all(
    majors.map(async (major) => {
      const { code, stderr } = await helmWith(['template', 'wp'], { chart, values, major })
      t.not(code, 0, `Helm ${major} refuses the values`)
      return stderr.replace(
        /^- ([^ ]+): /gm,
        (_, path: string) => `- at '${path === '(root)' ? '' : `/${path.replaceAll('.', '/')}`}': `,
      )
    }),
  )

/** Values over others, as Helm merges them: maps by their names, all else as a whole. */
export const mergedValues = (base: ChartValues, over: ChartValues): ChartValues => {
  const isMap = (value: unknown): value is ChartValues =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const merged: ChartValues = { ...base }
  for (const [name, value] of Object.entries(over)) {
    const known = merged[name]
    merged[name] = isMap(known) && isMap(value) ? mergedValues(known, value) : value
  }
  return merged
}
