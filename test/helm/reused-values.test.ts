// Runs in test:all only: it renders each chart dozens of times.
/** `helm upgrade --reuse-values` brings the values of an older release: whatever was not there yet has its default. */
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { chartNames } from '../support/chart-values.ts'
import { type ChartName, type ChartValues, chartFolder, helmWith, leastValues } from '../support/charts.ts'
import { hasHelm, noHelm } from '../support/helm-program.ts'
import { temporaryFolder } from '../support/test-agent.ts'
import { triedTogether } from '../support/tried-together.ts'

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

const needsType = (path: readonly string[]): boolean => path.join('.').endsWith('seccompProfile.type')
const isTakenOut = (path: readonly string[]): boolean => takenOut.test(path.join('.')) && !needsType(path)
const hasDefault = (path: readonly string[]): boolean => !takenOut.test(path.join('.'))

/** What is missing below one key could hide what else is missing there. */
const inGroups = (paths: readonly string[][]): string[][][] =>
  triedTogether(paths, ([one], [other]) => one === other)

/** How to render a copy of the chart, whose file of values has lost some of them. */
const renderingOf = async (t: Test, chart: ChartName) => {
  const folder = join(temporaryFolder(t), chart)
  await cp(chartFolder(chart), folder, { recursive: true, dereference: true })
  const file = join(folder, 'values.yaml')
  const values = parse(await readFile(file, 'utf8')) as ChartValues
  const renderWithout = async (missing: readonly string[][]): Promise<string> => {
    await writeFile(file, stringify(missing.reduce(without, values)))
    const given = { chart, folder, values: leastValues[chart] }
    const { code, stdout, stderr } = await helmWith(['template', 'wp'], given)
    return code === 0 ? stdout : stderr
  }
  return { paths: pathsOf(values), renderWithout }
}

const named = (paths: readonly string[][]): string => paths.map((path) => path.join('.')).join(', ')

for (const chart of chartNames)
  t.test(`${chart}: a value that an older release did not have`, { skip: !hasHelm && noHelm }, async (t) => {
    const { paths, renderWithout } = await renderingOf(t, chart)
    t.ok(paths.length > 100, `${paths.length} values`)
    const whole = await renderWithout([])
    for (const missing of inGroups(paths.filter(hasDefault)))
      t.equal(await renderWithout(missing), whole, named(missing))
    for (const missing of inGroups(paths.filter(isTakenOut)))
      t.match(await renderWithout(missing), '\n---\n', `not needed: ${named(missing)}`)
    for (const path of paths.filter(needsType))
      t.match(await renderWithout([path]), /missing property 'type'/, named([path]))
  })
