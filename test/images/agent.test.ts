// Runs in test:all only: it starts containers.
// Runs last: CI builds the images meanwhile.
/** The image of the agent as `npm run images` has built it, with no more rights than a restricted pod has. */
import t from 'tap'
import { containerTargets } from '../support/container-targets.ts'
import { agentRoom, imageEngine, measuresOf, statusOf, tagOfImage } from '../support/containers.ts'
import { loadsEveryPackage, protocolChecks, scriptedChecks } from '../support/image-checks.ts'

t.setTimeout(590_000)
const { engine, skip } = await imageEngine('agent')

t.test('the agent', { skip }, async (t) => {
  if (engine === null) return
  const targets = await containerTargets(t)
  const { container, url, host } = await agentRoom(t, engine, 'agent')
  const room = { url, host, targets }

  await t.test('has a browser that starts, with what records its pages', async (t) => {
    const [line] = await container.line(/browser checks with Chromium [^"\n]*/)
    t.match(line, /runtime 2026\.04$/)
    t.match((await measuresOf(container)).browser, { playwright: 1, chromium: 1 })
  })

  await t.test('is nobody and may nothing', async (t) => {
    t.match(statusOf(container), {
      ...{ Uid: /^12345\t/, Gid: /^0\t/, CapEff: /^0+$/, CapBnd: /^0+$/, NoNewPrivs: '1', Seccomp: '2' },
      init: /tini$/,
    })
  })

  await t.test('says which layers of isolation it has', async (t) => {
    await container.line(/isolation of user code: files/)
    t.match((await measuresOf(container)).isolation, { files: 1, seccomp: 1, 'own-uid': 0, subreaper: 1 })
  })

  await t.test('runs every type of check that needs neither packages nor a browser', (t) =>
    protocolChecks(t, room),
  )
  await t.test('loads every package of its runtime', (t) => loadsEveryPackage(t, room, '2026.04'))
  await t.test('runs what needs packages or a browser', (t) => scriptedChecks(t, room))

  await t.test('is pulled in layers, by how often they change', async (t) => {
    const layers = await engine.ask([
      'image',
      'inspect',
      '--format',
      '{{len .RootFS.Layers}}',
      tagOfImage('agent'),
    ])
    t.equal(layers, '6', 'the system, Node, the browser, the runtime, packages, and our code')
  })

  await t.test('has the package managers of suites', async (t) => {
    for (const name of ['npm', 'npx', 'pnpm', 'yarn'])
      t.match(await container.exec(name, '--version'), /^\d+\.\d+\.\d+$/, name)
  })

  await t.test('is healthy, leaves no dead process, and drains', async (t) => {
    t.equal(await engine.ask(['healthcheck', 'run', container.id]), '')
    t.same(await container.dead(), [])
    t.equal(await container.stop(), 0)
    t.match(await container.log(), /drained: all results are uploaded/)
  })
})
