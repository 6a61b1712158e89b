// Runs on both engines in test:all: its statements run in no other file.
/** What `watchpost status export` writes: a page that a foreign host can show as it is. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import type { Context } from '../../../control-plane/admin/command.ts'
import { statusExport } from '../../../control-plane/admin/status-export.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { engineNames } from '../../support/databases.ts'
import { shownPage } from '../../support/shown-page.ts'

const contextOf = ({ app }: TestApp): Context => ({
  config: app.config,
  open: async () => app,
  keys: () => [],
  now: () => app.clock.now(),
  randomBytes: (size) => app.randomBytes(size),
  sleep: async () => undefined,
  progress: () => undefined,
  file: (path) => resolve(path),
})

for (const engine of engineNames)
  t.test(`a page as files (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const { incidents, windowId, pageId } = await shownPage(plane)
    const folder = t.testdir()
    const values = { page: 'acme', address: 'https://copy.example/state/' }
    const args = { positionals: [folder], values, switches: new Set<string>() }
    await statusExport.run(contextOf(plane), args)
    const read = (path: string) => readFileSync(join(folder, path), 'utf8')
    const page = read('index.html')
    t.match(page, /Some systems are degraded/)
    t.match(page, /href="\/state\/history"/)
    t.notMatch(page, /<form|data-live/, 'nobody answers there')
    const [script = ''] = /\/state(\/assets\/status\.[0-9a-f]+\.js)/.exec(page)?.slice(1) ?? []
    t.match(read(script), /arrow keys/)
    for (const id of incidents) t.match(read(`incidents/${id}/index.html`), /Updates/)
    t.match(read('maintenance.ics'), new RegExp(`URL:https://copy\\.example/state/maintenance/${windowId}-`))
    t.equal(JSON.parse(read('api/status.json')).page.url, 'https://copy.example/state/')
    await plane.call('PUT', `/v1/status-pages/${pageId}`, {
      body: { name: 'Acme', url: 'acme', cards: [], isPrivate: true },
    })
    plane.advance(1500)
    await t.rejects(statusExport.run(contextOf(plane), args), /there is no public status page acme/)
  })
