import { readdir, readFile, realpath } from 'node:fs/promises'
import t from 'tap'
import { charts } from '../../helm/charts.ts'
import { generatedFiles } from '../../helm/generate.ts'
import { valuesSchema } from '../../helm/values-schema.ts'

t.test('schemas and READMEs are what `node helm/generate.ts` writes', async (t) => {
  for (const { path, text } of await generatedFiles())
    t.equal(await readFile(path, 'utf8').catch(() => 'not there'), text, path)
})

t.test('the files of a chart are links to every rule and dashboard of docs/monitoring', async (t) => {
  const names = async (folder: string) =>
    (await readdir(new URL(`../../${folder}/`, import.meta.url))).filter(
      (name) => /(?<!\.test)\.(yaml|json)$/.test(name) && name !== 'defaults.json',
    )
  for (const { folder } of charts)
    for (const [inChart, source] of [
      [`helm/${folder}/files`, 'docs/monitoring/rules'],
      [`helm/${folder}/files/dashboards`, 'docs/monitoring/dashboards'],
    ] as const) {
      t.strictSame(await names(inChart), await names(source))
      for (const name of await names(source)) {
        const [linked, original] = await Promise.all(
          [inChart, source].map((path) => realpath(new URL(`../../${path}/${name}`, import.meta.url))),
        )
        t.equal(linked, original)
      }
    }
})

t.test('each setting of the programs is one of the chart, or what a value stands for', async (t) => {
  for (const { taken, variables, folder } of charts)
    for (const name of Object.keys(taken))
      t.ok(
        variables.some((variable) => variable.name === name),
        `${folder}: ${name} is a setting`,
      )
})

t.test('a value that nobody described is a mistake', async (t) => {
  const [chart] = charts
  if (chart === undefined) throw new Error('there are no charts')
  t.throws(() => valuesSchema({ free: {} }, { ...chart, perLocation: [] }), /free is free and has no schema/)
  t.throws(() => valuesSchema({ a: 1 }, { ...chart, perLocation: ['b'] }), /no values named b/)
})

t.test('charts carry the version of the project', async (t) => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  for (const { folder } of charts) {
    const chart = await readFile(new URL(`../../helm/${folder}/Chart.yaml`, import.meta.url), 'utf8')
    t.match(chart, `\nversion: ${version}\n`)
    t.match(chart, `\nappVersion: "${version}"\n`)
  }
})
