/**
 * Writes what follows from the values of the charts: schemas and READMEs. Rules and dashboards in their `files/` are links into
 * docs/monitoring, which helm follows when it installs or packages a chart.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseDocument } from 'yaml'
import { chartReadme } from './chart-readme.ts'
import { type Chart, charts } from './charts.ts'
import { type Values, valuesSchema } from './values-schema.ts'

type GeneratedFile = { path: string; text: string }

const here = import.meta.dirname
const filesOf = async (chart: Chart): Promise<GeneratedFile[]> => {
  const folder = join(here, chart.folder)
  const document = parseDocument(await readFile(join(folder, 'values.yaml'), 'utf8'))
  const schema = valuesSchema(document.toJS() as Values, chart)
  return [
    { path: join(folder, 'values.schema.json'), text: `${JSON.stringify(schema, null, 2)}\n` },
    { path: join(folder, 'README.md'), text: chartReadme(document, chart) },
  ]
}

export const generatedFiles = async (): Promise<GeneratedFile[]> =>
  (await Promise.all(charts.map(filesOf))).flat()

if (import.meta.main) for (const { path, text } of await generatedFiles()) await writeFile(path, text)
