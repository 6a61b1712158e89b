// Runs in test:all only: it starts containers.
// Runs last: CI builds the images meanwhile.
/** The image of the control plane as `npm run images` has built it: one command to a first result. */
import t from 'tap'
import { measureBriefly } from '../../images/measure.ts'
import { callApi } from '../support/api.ts'
import {
  containerNetwork,
  imageEngine,
  restricted,
  runContainer,
  statusOf,
  tagOfImage,
} from '../support/containers.ts'
import { firstResult } from '../support/first-result.ts'
import { apiKey } from '../support/programs.ts'
import { until } from '../support/until.ts'

t.setTimeout(500_000)
const { engine, skip } = await imageEngine('control-plane')

t.test('the control plane with its agent', { skip }, async (t) => {
  if (engine === null) return
  const network = await containerNetwork(t, engine)
  const volume = `${network.name}-data`
  t.teardown(() => engine.ask(['volume', 'rm', '--force', volume]))
  const start = (env: Record<string, string>) =>
    runContainer(t, engine, tagOfImage('control-plane'), {
      network,
      options: [...restricted, '--volume', `${volume}:/data`],
      env,
    })
  const container = await start({ BOOTSTRAP_API_KEY: apiKey })
  const url = `http://${container.address}:8080`

  await t.test('says what to do next', async (t) => {
    const text = (await container.line(/Watchpost is ready[\s\S]*?\n\n {2}"docker stop.*/))[0]
    const [, command = ''] = /docker exec \S+ (node -p "[^\n]+")\)/.exec(text) ?? []
    t.equal(await container.exec('sh', '-c', command), apiKey, 'its command shows the key')
    t.match(text, `docker exec ${container.id.slice(0, 12)} `)
  })

  await t.test('is nobody and may nothing', async (t) => {
    t.match(statusOf(container), {
      ...{ Uid: /^12345\t/, Gid: /^0\t/, CapEff: /^0+$/, CapBnd: /^0+$/, NoNewPrivs: '1', Seccomp: '2' },
      init: /tini$/,
    })
  })

  await t.test('its own agent has a first result', async (t) => {
    const request = { url: 'http://127.0.0.1:8080/health' }
    t.match(await firstResult(t, url, '/v1/checks/url', { request }), {
      hasFailures: false,
      hasErrors: false,
    })
    await container.line(/The first result has arrived/)
  })

  await t.test('its probes answer, and the engine finds it healthy', async (t) => {
    for (const path of ['/-/readiness', '/-/liveness', '/health'])
      t.equal((await fetch(url + path)).status, 200)
    t.equal(await engine.ask(['healthcheck', 'run', container.id]), '')
  })

  await t.test('has the viewer of traces', async (t) => {
    const page = "fs.readFileSync('/app/trace-viewer/index.html', 'utf8')"
    t.match(await container.exec('node', '-p', page), /<title>Playwright Trace Viewer/)
  })

  await t.test('stops in order, and another container goes on with its data', async (t) => {
    t.equal(await container.stop(), 0)
    t.match(await container.log(), /drained: all results are uploaded[\s\S]*Stopped/)
    const next = await start({})
    const again = `http://${next.address}:8080`
    await until('it is ready', () =>
      fetch(`${again}/-/readiness`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    )
    const { body } = await callApi<{ name: string }[]>(again, '/v1/checks')
    t.equal(body.length, 1)
  })
})

t.test('the control plane alone', { skip }, async (t) => {
  if (engine === null) return
  const network = await containerNetwork(t, engine)
  const container = await runContainer(t, engine, tagOfImage('control-plane'), {
    network,
    command: ['--max-semi-space-size=4', 'control-plane/main.ts'],
  })
  await container.line(/The API listens/)
  t.notMatch(await container.log(), /agent \d+\.\d+\.\d+ starts/)
  t.equal(await container.stop(), 0)
})

t.test('its size', { skip }, async (t) => {
  if (engine === null) return
  const { compressedBytes, layers } = await measureBriefly(engine, tagOfImage('control-plane'))
  t.ok(compressedBytes < 90e6, `${compressedBytes} bytes`)
  t.equal(layers.length, 4, 'the system, Node, packages, and our code')
  t.ok(Number(layers.at(-1)) < 3e6, `a change of the code is pulled as ${layers.at(-1)} bytes`)
})
