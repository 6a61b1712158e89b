/**
 * A stand-in for the base image where no registry of images can be reached: the same Debian from a Debian mirror, the same Node
 * and npm from the npm registry, with `mmdebstrap` and `npm` of this machine.
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Engine, EngineError } from './engine.ts'

type NodePackage = { name: string; version: string; integrity: string }

/** provision.mjs is plain JavaScript: it runs before anything is installed. */
const { nodePackage } = (await import(new URL('../provision.mjs', import.meta.url).href)) as {
  nodePackage(platform: string): NodePackage | undefined
}

/** The Node of images, by the hash of its package. */
export const nodeOfImages = (architecture: Architecture): NodePackage => {
  const node = nodePackage(`linux-${architecture}`)
  if (node === undefined) throw new EngineError(`the npm registry has no Node for ${architecture}`)
  return node
}

/** Its tag. */
export const ownBaseOf = (architecture: Architecture): string =>
  `localhost/watchpost-base:${nodePackage(`linux-${architecture}`)?.version}-${architecture}`

const release = 'trixie'
/** Once a file has these times, it is the same file every time. */
export const buildTime = 1_780_000_000

const needed = { x64: 'amd64', arm64: 'arm64' } as const
export type Architecture = keyof typeof needed
export const debianName = (architecture: Architecture): string => needed[architecture]

const run = (program: string, args: readonly string[], input?: string): void => {
  const { status, stderr, error } = spawnSync(program, args, {
    input,
    encoding: 'utf8',
    env: { ...process.env, SOURCE_DATE_EPOCH: String(buildTime) },
  })
  if (error) throw new EngineError(`${program} could not be run: ${error.message}`)
  if (status !== 0) throw new EngineError(`${program} failed (exit code ${status}):\n${stderr}`)
}

/** Where this machine gets Debian from, unless DEBIAN_MIRROR names another. */
export const debianMirror = (): string | null => {
  const named = process.env['DEBIAN_MIRROR']
  if (named) return named
  const list = '/etc/apt/sources.list.d/debian.sources'
  return existsSync(list) ? (/^URIs: (\S+)/m.exec(readFileSync(list, 'utf8'))?.[1] ?? null) : null
}

const sourcesOf = (mirror: string): string => {
  const plain = mirror.replace(/\/$/, '')
  const security = process.env['DEBIAN_SECURITY_MIRROR'] || plain.replace(/\/debian$/, '/debian-security')
  return [
    `deb ${plain} ${release} main`,
    `deb ${plain} ${release}-updates main`,
    `deb ${security} ${release}-security main`,
    '',
  ].join('\n')
}

/** Builds it and gives it its tag, which it returns. */
export const makeOwnBase = async (engine: Engine, architecture: Architecture): Promise<string> => {
  const mirror = debianMirror()
  if (mirror === null) throw new EngineError('name a Debian mirror with DEBIAN_MIRROR')
  const node = nodeOfImages(architecture)
  const work = mkdtempSync(join(tmpdir(), 'watchpost-base-'))
  try {
    const root = join(work, 'root')
    run(
      'mmdebstrap',
      ['--quiet', '--mode=root', '--variant=apt', '--format=directory', '--include=ca-certificates'].concat(
        `--architectures=${debianName(architecture)}`,
        ['man', 'doc', 'locale'].map((folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`),
        [release, root, '-'],
      ),
      sourcesOf(mirror),
    )
    installNode(work, root, node)
    run('tar', ['-C', root, '-cf', join(work, 'base.tar'), '.'])
    const tag = ownBaseOf(architecture)
    await engine.ask(['import', ...platformOf(engine, architecture), ...change, join(work, 'base.tar'), tag])
    return tag
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 })
  }
}

const change = ['--change', 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin']

const platformOf = ({ name }: Engine, architecture: Architecture): string[] =>
  name === 'docker'
    ? ['--platform', `linux/${debianName(architecture)}`]
    : ['--arch', debianName(architecture)]

/** Node by the hash that provision.mjs pins, npm by that of images/tools. */
const installNode = (work: string, root: string, { name, version, integrity }: NodePackage): void => {
  const folder = join(work, 'packages')
  mkdirSync(folder)
  const tools = JSON.parse(readFileSync(new URL('tools/package-lock.json', import.meta.url), 'utf8'))
  const dependencies = { [name]: version, npm: tools.packages['node_modules/npm'].version }
  const npm = Object.fromEntries(
    Object.entries(tools.packages as Record<string, object>).filter(([path]) =>
      /^node_modules\/npm(\/|$)/.test(path),
    ),
  )
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity }, ...npm }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  writeFileSync(
    join(folder, 'package-lock.json'),
    JSON.stringify({ lockfileVersion: 3, requires: true, packages }),
  )
  run('npm', [
    'ci',
    '--prefix',
    folder,
    '--ignore-scripts',
    '--workspaces=false',
    '--force',
    '--loglevel=error',
  ])
  const modules = join(root, 'usr/local/lib/node_modules')
  mkdirSync(modules, { recursive: true })
  cpSync(join(folder, 'node_modules', name, 'bin/node'), join(root, 'usr/local/bin/node'), { mode: 0 })
  cpSync(join(folder, 'node_modules/npm'), join(modules, 'npm'), { recursive: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
  symlinkSync('../lib/node_modules/npm/bin/npx-cli.js', join(root, 'usr/local/bin/npx'))
}
