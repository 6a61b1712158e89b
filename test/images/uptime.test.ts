// Runs in test:all only: it starts containers.
// Runs last: CI builds the images meanwhile.
/** The image of the uptime agent as `npm run images` has built it, with no more rights than a restricted pod has. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { root } from '../../images/build-image.ts'
import { measureBriefly } from '../../images/measure.ts'
import { containerTargets } from '../support/container-targets.ts'
import { agentRoom, imageEngine, measuresOf, statusOf, tagOfImage } from '../support/containers.ts'
import { protocolChecks } from '../support/image-checks.ts'
import { until } from '../support/until.ts'

t.setTimeout(500_000)
const { engine, skip } = await imageEngine('uptime')

t.test('the uptime agent', { skip }, async (t) => {
  if (engine === null) return
  const targets = await containerTargets(t)
  const { container, url, host, create } = await agentRoom(t, engine, 'uptime')
  await container.line(/connected to the control plane/)
  const room = { url, host, targets }

  await t.test('is nobody, may nothing and has an init', async (t) => {
    t.match(statusOf(container), {
      ...{ Uid: /^12345\t/, Gid: /^0\t/, CapEff: /^0+$/, CapBnd: /^0+$/, NoNewPrivs: '1', Seccomp: '2' },
      init: /tini$/,
    })
    await t.rejects(container.exec('sh', '-c', ': > /app/x'), /Read-only file system/)
  })

  await t.test('runs every type of check that needs neither packages nor a browser', (t) =>
    protocolChecks(t, room),
  )

  await t.test('says which layers of isolation it has, and that it has no browser', async (t) => {
    await container.line(/isolation of user code: files/)
    await container.line(/no browser checks here/)
    const { isolation, browser } = await measuresOf(container)
    t.match(isolation, { files: 1, seccomp: 1, 'own-uid': 0, subreaper: 1 })
    t.same(browser, { playwright: 0, chromium: 0, sandbox: 0 })
  })

  await t.test('its probes answer, and the engine finds it healthy', async (t) => {
    for (const path of ['/-/readiness', '/-/liveness', '/health'])
      t.equal((await fetch(`http://${container.address}:8081${path}`)).status, 200)
    t.equal(await engine.ask(['healthcheck', 'run', container.id]), '')
  })

  await t.test('its init reaps what others leave behind', async (t) => {
    await container.exec('sh', '-c', '(sh -c : &) ; exit 0')
    await until('no dead process', async () => (await container.dead()).length === 0)
    t.same(await container.dead(), [])
  })

  await t.test('SIGTERM drains: it is not ready, and what runs ends first', async (t) => {
    await create('/v1/checks/url', {
      ...{ name: 'slow', privateLocations: ['local'], locations: [], frequency: 10 },
      request: { url: `http://${host}:${targets.http}/slow` },
    })
    await until('the request', () => targets.waiting.length > 0)
    const stopped = container.stop()
    await until('the end of its readiness', async () => {
      const answer = await fetch(`http://${container.address}:8081/-/readiness`)
      return answer.status === 503
    })
    t.equal((await fetch(`http://${container.address}:8081/-/liveness`)).status, 200)
    for (const answer of targets.waiting) answer()
    t.equal(await stopped, 0)
    t.match(await container.log(), /drained: all results are uploaded/)
  })
})

type Lock = { packages: Record<string, Packages> }
type Packages = { dependencies?: object; optionalDependencies?: object }

/** Paths in `node_modules` of all that these need, as the lock file has them: what one package has for itself comes first. */
const neededBy = (lock: Lock, beginners: readonly string[]): Set<string> => {
  const needed = new Set<string>()
  const pathOf = (name: string, from: string): string | null => {
    const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`
    if (lock.packages[path] !== undefined) return path
    return from === '' ? null : pathOf(name, from.replace(/(^|\/)(node_modules\/)?(@[^/]+\/)?[^/]+$/, ''))
  }
  const take = (from: string): void => {
    const { dependencies, optionalDependencies } = lock.packages[from] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const path = pathOf(name, from)
      if (path === null || needed.has(path)) continue
      needed.add(path)
      take(path)
    }
  }
  for (const beginner of beginners) take(beginner)
  return needed
}

t.test('its packages are those that an agent runs with', { skip }, async (t) => {
  if (engine === null) return
  const bill = await engine.ask([
    ...['run', '--rm', '--network', 'none', '--entrypoint', 'node', tagOfImage('uptime'), '-p'],
    "require('fs').readFileSync('/app/sbom.cdx.json', 'utf8')",
  ])
  const { components } = JSON.parse(bill) as { components: { purl: string }[] }
  const npm = components.flatMap(({ purl }) => /^pkg:npm\/(.+)@[^@]+$/.exec(purl)?.[1] ?? [])
  const there = npm.map(decodeURIComponent)
  const lock = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8'))
  const names = [...neededBy(lock, ['', 'agent'])].map((path) => path.replace(/^.*node_modules\//, ''))
  // Those of other processors are in the lock file, too.
  const own = names.filter((name) => !name.startsWith('@koromix/koffi-'))
  t.strictSame(there.filter((name) => !name.startsWith('@koromix/koffi-')).toSorted(), own.toSorted())
  t.equal(there.length, own.length + 1, 'and one of the compiled parts')
})

t.test('its size', { skip }, async (t) => {
  if (engine === null) return
  const { compressedBytes, layers } = await measureBriefly(engine, tagOfImage('uptime'))
  t.ok(compressedBytes < 58e6, `${compressedBytes} bytes`)
  t.equal(layers.length, 4, 'the system, Node, packages, and our code')
  t.ok(Number(layers.at(-1)) < 3e6, `a change of the code is pulled as ${layers.at(-1)} bytes`)
})
