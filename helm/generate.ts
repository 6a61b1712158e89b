/**
 * Writes what follows from the values of the charts: schemas, READMEs, and defaults for who reuses the values of an older release. Rules and dashboards in their `files/` are links into
 * docs/monitoring, which helm follows when it installs or packages a chart.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseDocument } from 'yaml'
import { chartReadme } from './chart-readme.ts'
import { charts } from './charts.ts'
import type { Chart } from './common-values.ts'
import type { JsonSchema } from './kinds-of-values.ts'
import { isObject, type Values, valuesSchema } from './values-schema.ts'

type GeneratedFile = { path: string; text: string }

const here = import.meta.dirname
const filesOf = async (chart: Chart): Promise<GeneratedFile[]> => {
  const folder = join(here, chart.folder)
  const document = parseDocument(await readFile(join(folder, 'values.yaml'), 'utf8'))
  const values = document.toJS() as Values
  const schema = valuesSchema(values, chart)
  return [
    {
      path: join(folder, 'files', 'defaults.json'),
      text: `${JSON.stringify(defaultsOf(values, chart), null, 2)}\n`,
    },
    { path: join(folder, 'values.schema.json'), text: schemaText(schema) },
    { path: join(folder, 'README.md'), text: chartReadme(document, chart) },
  ]
}

/** Each type of Kubernetes on a line of its own: they are many, and nobody reads them. */
const schemaText = (schema: JsonSchema): string => {
  const text = JSON.stringify(schema, null, 2)
  const isType = /^ {4}"kubernetes\.\w+": \{\n(?:.*\n)*?^ {4}\}/gm
  return `${text.replace(isType, (type) => type.replaceAll(/\n */g, ' '))}\n`
}

/** Objects that Kubernetes knows are empty: what a null has taken out of one does not come back. */
const defaultsOf = (values: Values, { special }: Pick<Chart, 'special'>, path = ''): Values =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const at = path === '' ? name : `${path}.${name}`
      if (!isObject(value) || Object.keys(value).length === 0) return [[name, value]]
      return [[name, special[at] !== undefined ? {} : defaultsOf(value, { special }, at)]]
    }),
  )

export const generatedFiles = async (): Promise<GeneratedFile[]> =>
  (await Promise.all(charts.map(filesOf))).flat()

if (import.meta.main) for (const { path, text } of await generatedFiles()) await writeFile(path, text)
