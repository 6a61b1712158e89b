/** A page asks the store as often for thirty checks as for three, and no oftener than is written here: on a server each is a round trip. */
import t, { type Test } from 'tap'
import { rollupTick } from '../../../../control-plane/monitoring/results/rollups/rollup-tick.ts'
import type { StatementWatch } from '../../../../control-plane/platform/store/database/statement-watch.ts'
import { testApp } from '../../../support/app.ts'
import { checkWith, sessionOf, visitPage } from '../../../support/dashboard.ts'
import { freshDatabase } from '../../../support/databases.ts'

const most = { '/app': 32, '/app/checks': 24, '/app/checks?view=groups': 9, '/app/checks?search=check': 24 }
const mostOfCheck = 76

const asked = async (t: Test, count: number) => {
  const noted: string[] = []
  const watch: StatementWatch = { monotonic: () => 0, note: ({ name }) => noted.push(name ?? 'built') }
  const plane = await testApp(t, { parts: { db: await freshDatabase(t, 'sqlite', watch) } })
  const cookie = await sessionOf(plane)
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const state = index === 0 ? ('failing' as const) : ('passing' as const)
    ids.push((await checkWith(plane, { name: `check ${index}`, state, error: 'it refused' })).checkId)
  }
  await rollupTick(plane.app, new AbortController().signal)
  const visit = async (path: string): Promise<string[]> => {
    // What is kept between requests was asked for by the first.
    await visitPage(plane, cookie, path)
    noted.length = 0
    const { status } = await visitPage(plane, cookie, path)
    t.equal(status, 200, path)
    return [...noted].sort()
  }
  const lists = new Map<string, string[]>()
  for (const path of Object.keys(most)) lists.set(path, await visit(path))
  return { lists, ofCheck: await visit(`/app/checks/${ids[0]}`) }
}

t.test('statements of Overview, the list and a check’s page do not grow with the checks', async (t) => {
  const few = await asked(t, 3)
  const many = await asked(t, 30)
  for (const [path, limit] of Object.entries(most)) {
    t.strictSame(many.lists.get(path), few.lists.get(path), `${path}: as many for thirty`)
    t.ok((many.lists.get(path)?.length ?? 0) <= limit, `${path}: ${many.lists.get(path)?.length} of ${limit}`)
  }
  t.strictSame(many.ofCheck, few.ofCheck, 'the page of a check')
  t.ok(many.ofCheck.length <= mostOfCheck, `${many.ofCheck.length} of ${mostOfCheck}`)
})
