// Runs in test:all only: it renders each chart once for each of its values.
/** `helm upgrade --reuse-values` brings the values of an older release: whatever was not there yet has its default. */
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { parse, stringify } from 'yaml'
import { chartNames } from '../support/chart-values.ts'
import { type ChartValues, chartFolder, helmWith, leastValues } from '../support/charts.ts'
import { hasHelm, noHelm } from '../support/helm-program.ts'
import { temporaryFolder } from '../support/test-agent.ts'

const isMap = (value: unknown): value is ChartValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const pathsOf = (values: ChartValues, before: readonly string[] = []): string[][] =>
  Object.entries(values).flatMap(([name, value]) => {
    const path = [...before, name]
    return isMap(value) ? [path, ...pathsOf(value, path)] : [path]
  })

const without = (values: ChartValues, [name = '', ...rest]: readonly string[]): ChartValues => {
  const { [name]: child, ...others } = values
  return rest.length === 0 || !isMap(child) ? others : { ...others, [name]: without(child, rest) }
}

/** Objects that Kubernetes knows, out of which a null takes something for good. */
const takenOut = /^(resources|probes|strategy|podSecurityContext|securityContext|dnsConfig)\b/

for (const chart of chartNames)
  t.test(`${chart}: a value that an older release did not have`, { skip: !hasHelm && noHelm }, async (t) => {
    const folder = join(temporaryFolder(t), chart)
    await cp(chartFolder(chart), folder, { recursive: true, dereference: true })
    const file = join(folder, 'values.yaml')
    const values = parse(await readFile(file, 'utf8')) as ChartValues
    const render = async () => {
      const { code, stdout, stderr } = await helmWith(['template', 'wp'], {
        chart,
        folder,
        values: leastValues[chart],
      })
      return code === 0 ? stdout : stderr
    }
    const whole = await render()
    const paths = pathsOf(values)
    t.ok(paths.length > 100, `${paths.length} values`)
    for (const path of paths) {
      await writeFile(file, stringify(without(values, path)))
      const text = await render()
      if (path.join('.').endsWith('seccompProfile.type')) t.match(text, /missing property 'type'/)
      else if (takenOut.test(path.join('.'))) t.match(text, '\n---\n', `${path.join('.')} is not needed`)
      else t.equal(text, whole, path.join('.'))
    }
  })
