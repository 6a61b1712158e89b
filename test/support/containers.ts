/** Images that were built (`npm run images`), run as a cluster with the restricted standard runs them. */
import { randomInt } from 'node:crypto'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import type { Test } from 'tap'
import { version } from '../../images/build-image.ts'
import { type Engine, findEngine, installedEngine } from '../../images/engine.ts'
import { tagOf, type Variant, variants } from '../../images/variants.ts'
import { creating } from './journey-programs.ts'
import { agentKey, endsWith, listening, scratchFolder, spawnControlPlane, type Teardown } from './programs.ts'
import { until } from './until.ts'

/** CI builds them into a folder of their own; else podman's usual storage is looked into. */
const storage = process.env['WATCHPOST_IMAGES'] || null
/** CI builds them beside the tests that need none, and makes this file when it is done. */
const builtFile = process.env['WATCHPOST_IMAGES_BUILT']

export const tagOfImage = (name: Variant['name']): string =>
  tagOf(variants.find((one) => one.name === name) as Variant, version)

/** The engine, or why the image cannot be tested here. Where CI says that it has built images, a missing one is a failure. */
export const imageEngine = async (
  name: Variant['name'],
): Promise<{ engine: Engine; skip: false } | { engine: null; skip: string }> => {
  if (process.getuid?.() !== 0 || installedEngine() !== 'podman')
    return { engine: null, skip: 'containers cannot be run here' }
  if (builtFile !== undefined) await until('images are built', () => existsSync(builtFile))
  const engine = findEngine(storage)
  return (await isBuilt(engine, name)) || storage !== null
    ? { engine, skip: false }
    : { engine: null, skip: 'the images are not built' }
}

const isBuilt = (engine: Engine, name: Variant['name']): Promise<boolean> =>
  engine.ask(['image', 'exists', tagOfImage(name)]).then(
    () => true,
    () => false,
  )

/** The engine and those of the images that are there now; none where containers cannot be run. */
export const builtImages = async (
  names: readonly Variant['name'][],
): Promise<{ engine: Engine; names: Variant['name'][] } | null> => {
  if (process.getuid?.() !== 0 || installedEngine() !== 'podman') return null
  const engine = findEngine(storage)
  const built = await Promise.all(names.map((name) => isBuilt(engine, name)))
  return { engine, names: names.filter((_, index) => built[index]) }
}

export type ContainerNetwork = {
  name: string
  /** This machine, as containers reach it. */
  gateway: string
}

/** A network of the test's own, without names: what containers know is the address of this machine. */
export const containerNetwork = async (t: Teardown, engine: Engine): Promise<ContainerNetwork> => {
  const subnet = `10.${randomInt(100, 250)}.${randomInt(0, 255)}`
  const name = `watchpost-test-${process.pid}-${randomInt(1e9)}`
  await engine.ask(['network', 'create', '--disable-dns', '--subnet', `${subnet}.0/24`, name])
  t.teardown(() => engine.ask(['network', 'rm', '--force', name]))
  return { name, gateway: `${subnet}.1` }
}

/** Any user that is in no list, of the group that every user of OpenShift has. */
export const arbitraryUser = '12345:0'

/** Nothing that a pod of the restricted standard does not have; what has to be written lies on the image's own volumes. */
export const restricted: readonly string[] = [
  ...['--user', arbitraryUser, '--read-only', '--read-only-tmpfs=false', '--cap-drop', 'ALL'],
  ...['--security-opt', 'no-new-privileges', '--sysctl', 'net.ipv4.ping_group_range=0 2147483647'],
]

export type Container = {
  id: string
  /** Empty in the network of this machine, whose name is `host`. */
  address: string
  /** Of its first process, here. */
  pid: number
  log(): Promise<string>
  /** Waits for a line of the log. */
  line(pattern: RegExp): Promise<RegExpExecArray>
  exec(...command: string[]): Promise<string>
  /** Names of dead processes that nobody has reaped. */
  dead(): Promise<string[]>
  /** SIGTERM, and how it ended: its exit code. */
  stop(): Promise<number>
}

type RunOptions = {
  network: ContainerNetwork
  options?: readonly string[]
  env?: Record<string, string>
  command?: readonly string[]
}

/** A container that is gone, with its volumes, when the test ends. */
export const runContainer = async (
  t: Teardown,
  engine: Engine,
  image: string,
  { network, options = restricted, env = {}, command = [] }: RunOptions,
): Promise<Container> => {
  const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const id = await engine.ask([
    ...['run', '--detach', '--pull=never', '--network', network.name],
    ...[...options, ...variables, image, ...command],
  ])
  t.teardown(() => engine.ask(['rm', '--force', '--volumes', '--time', '0', id]))
  const inspect = (format: string): Promise<string> => engine.ask(['inspect', '--format', format, id])
  const log = (): Promise<string> => engine.ask(['logs', id])
  return {
    id,
    address: await inspect(`{{with index .NetworkSettings.Networks "${network.name}"}}{{.IPAddress}}{{end}}`),
    pid: Number(await inspect('{{.State.Pid}}')),
    log,
    // Each look starts the engine's program.
    line: async (pattern) => {
      let found: RegExpExecArray | null = null
      await until(
        `the line ${pattern}`,
        async () => {
          found = pattern.exec(await log())
          return found !== null
        },
        500,
      )
      return found as unknown as RegExpExecArray
    },
    exec: (...command) => engine.ask(['exec', id, ...command]),
    dead: async () => {
      const [, ...rows] = (await engine.ask(['top', id, 'state', 'comm'])).split('\n')
      return rows.filter((row) => row.startsWith('Z'))
    },
    stop: async () => {
      await engine.ask(['stop', '--time', '60', id])
      return Number(await inspect('{{.State.ExitCode}}'))
    },
  }
}

/** A control plane of this clone on this machine, and an agent of its location `local` in a container. */
export const agentRoom = async (
  t: Test,
  engine: Engine,
  name: Variant['name'],
  env: Record<string, string> = {},
) => {
  const folder = await scratchFolder(t)
  const plane = spawnControlPlane({ dataDir: `${folder}/data`, env: { HOST: '0.0.0.0' } })
  const { url, port } = await listening(endsWith(t, plane))
  const network = await containerNetwork(t, engine)
  const container = await runContainer(t, engine, tagOfImage(name), {
    network,
    env: { CONTROL_PLANE_URL: `http://${network.gateway}:${port}`, API_KEY: agentKey, ...env },
  })
  return { container, url, host: network.gateway, create: creating(t, url) }
}

/** What the agent's metrics say of its isolation and of its browser. */
export const measuresOf = async ({ address }: Container) => {
  const text = await (await fetch(`http://${address}:8081/metrics`)).text()
  const read = (name: string, label: string): Record<string, number> =>
    Object.fromEntries(
      [...text.matchAll(new RegExp(`^${name}\\{${label}="([^"]+)"\\} (\\d+)$`, 'gm'))].map(
        ([, key = '', value]) => [key, Number(value)],
      ),
    )
  return {
    isolation: read('watchpost_agent_isolation', 'layer'),
    browser: read('watchpost_agent_browser', 'part'),
  }
}

/** What the kernel says of the program that runs as the child of the init. */
export const statusOf = (container: Container): Record<string, string> => {
  const child = readFileSync(`/proc/${container.pid}/task/${container.pid}/children`, 'utf8')
    .trim()
    .split(' ')[0]
  const status = readFileSync(`/proc/${child}/status`, 'utf8')
  const field = (name: string): string => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1] ?? ''
  const init = readlinkSync(`/proc/${container.pid}/exe`)
  return {
    init,
    ...Object.fromEntries(
      ['Uid', 'Gid', 'CapEff', 'CapBnd', 'NoNewPrivs', 'Seccomp'].map((name) => [name, field(name)]),
    ),
  }
}
