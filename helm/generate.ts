/** Writes what follows from the values of the charts: schemas and READMEs; and their copies of docs/monitoring. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseDocument } from 'yaml'
import { chartReadme } from './chart-readme.ts'
import { type Chart, charts } from './charts.ts'
import { type Values, valuesSchema } from './values-schema.ts'

type GeneratedFile = { path: string; text: string }

const here = import.meta.dirname
const monitoring = join(here, '..', 'docs', 'monitoring')

/** Helm reads nothing from outside of a chart. */
const monitoringFiles = async ({ folder }: Chart): Promise<GeneratedFile[]> => {
  const files = join(here, folder, 'files')
  const dashboards = (await readdir(join(monitoring, 'dashboards'))).filter((name) => name.endsWith('.json'))
  const copies: Array<[from: string, to: string]> = [
    [join(monitoring, 'rules', 'watchpost.rules.yaml'), join(files, 'watchpost.rules.yaml')],
    ...dashboards.map((name): [string, string] => [
      join(monitoring, 'dashboards', name),
      join(files, 'dashboards', name),
    ]),
  ]
  return Promise.all(copies.map(async ([from, path]) => ({ path, text: await readFile(from, 'utf8') })))
}

const filesOf = async (chart: Chart): Promise<GeneratedFile[]> => {
  const folder = join(here, chart.folder)
  const document = parseDocument(await readFile(join(folder, 'values.yaml'), 'utf8'))
  const schema = valuesSchema(document.toJS() as Values, chart)
  return [
    { path: join(folder, 'values.schema.json'), text: `${JSON.stringify(schema, null, 2)}\n` },
    { path: join(folder, 'README.md'), text: chartReadme(document, chart) },
    ...(await monitoringFiles(chart)),
  ]
}

export const generatedFiles = async (): Promise<GeneratedFile[]> =>
  (await Promise.all(charts.map(filesOf))).flat()

if (import.meta.main)
  for (const { path, text } of await generatedFiles()) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
