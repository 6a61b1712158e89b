/**
 * Makes a fresh clone able to run, then runs: `node provision.mjs <start|admin|command|test|steady|images|release|bench|check|format> [arguments]`.
 * `npm run runtime <id>` installs the packages of scripts (docs/runtimes.md); nothing else needs them.
 *
 * The programs need Node 24 and the packages of package-lock.json. This file needs only Node 20 and npm, and
 * uses nothing but Node's own modules and start/runtime-progress.mjs, because it runs before anything is installed:
 *   1. Node 24 — the one that runs this file, or a pinned one from the npm registry, kept in `.node/`;
 *   2. packages — `npm ci`, when `node_modules/` is not what package-lock.json says;
 *   3. the task — run under that Node, signals and exit code passed through.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  constants as accessModes,
  accessSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { constants } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { packagesOf, showProgress, sizeOnDisk } from './start/runtime-progress.mjs'

const root = dirname(fileURLToPath(import.meta.url))
const nodeFolder = join(root, '.node')
const packagesFolder = join(root, 'node_modules')
const neededMajor = 24

const biome = 'node_modules/@biomejs/biome/bin/biome'
/** Each task is a list of commands, all run; the first that fails gives the exit code. */
const tasks = {
  start: { omitDev: true, commands: [['start.ts']] },
  admin: { omitDev: true, commands: [['control-plane/admin.ts']] },
  command: { omitDev: true, commands: [['command/main.ts']] },
  test: { omitDev: false, commands: [['test/run.ts']] },
  steady: { omitDev: false, commands: [['test/steady.ts']] },
  images: { omitDev: true, commands: [['images/build.ts']] },
  // Types are taken out of the command's package by what Node calls experimental.
  release: { omitDev: true, commands: [['--disable-warning=ExperimentalWarning', 'release/main.ts']] },
  bench: { omitDev: false, commands: [['bench/run.ts']] },
  check: {
    omitDev: false,
    commands: [
      [biome, 'ci', '--error-on-warnings'],
      ['node_modules/typescript/bin/tsc', '-p', '.'],
    ],
  },
  format: { omitDev: false, commands: [[biome, 'check', '--write']] },
}

// Newest version 24 that the registry has for each platform, and its hash; darwin-arm64 has none.
const pinnedNode = {
  'linux-x64': {
    version: '24.21.0',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    version: '24.21.0',
    integrity:
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  'darwin-x64': {
    version: '24.18.1',
    integrity:
      'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
}

const say = (text) => process.stderr.write(`watchpost: ${text}\n`)

/** A stop that the user can act on: shown as one sentence, without a stack. */
class SetupError extends Error {}

// ---- 1. Node 24 ------------------------------------------------------------------------------------------

/** `version` as in process.version: 'v24.21.0'. */
export function isNewEnough(version) {
  return Number.parseInt(version.replace(/^v/, ''), 10) >= neededMajor
}

const ownPlatform = `${process.platform}-${process.arch}`

/** The registry's package that carries Node for `platform` ('linux-x64'), or undefined. */
export function nodePackage(platform) {
  return Object.hasOwn(pinnedNode, platform)
    ? { name: `node-${platform}`, ...pinnedNode[platform] }
    : undefined
}

/** The package-lock.json of `.node/`: npm installs no other bytes than those with this hash. */
function nodeLock({ name, version, integrity }) {
  const packages = {
    '': { dependencies: { [name]: version } },
    [`node_modules/${name}`]: { version, integrity },
  }
  return { lockfileVersion: 3, requires: true, packages }
}

/** Path of a Node that can run the programs, or null when it has to be installed. */
function presentNode() {
  if (isNewEnough(process.version)) return process.execPath
  const wanted = nodePackage(ownPlatform)
  if (!wanted) return null
  const node = join(nodeFolder, 'node_modules', wanted.name, 'bin', 'node')
  const installed = readJson(join(nodeFolder, 'node_modules', '.package-lock.json'))
  return isInstalled(nodeLock(wanted), installed, false) && runsAs(node, wanted.version) ? node : null
}

/** @throws SetupError where the registry has no Node for this machine */
function pinnedPackage() {
  const wanted = nodePackage(ownPlatform)
  if (wanted) return wanted
  throw new SetupError(
    `this is Node ${process.version}, Watchpost needs Node ${neededMajor} or newer, and the npm registry has none for ${ownPlatform}: install it (nodejs.org) and run this again.`,
  )
}

/** Installs the pinned Node; its path. */
async function installNode() {
  const wanted = pinnedPackage()
  say(
    `this is Node ${process.version}; Watchpost needs Node ${neededMajor}. Fetching Node ${wanted.version} from the npm registry into .node/ (nothing outside this folder changes).`,
  )
  const lock = nodeLock(wanted)
  // A package.json of its own stops npm from looking for a project in the folders above.
  writeJson(join(nodeFolder, 'package.json'), { private: true, ...lock.packages[''] })
  writeJson(join(nodeFolder, 'package-lock.json'), lock)
  const spec = `${wanted.name}@${wanted.version}`
  await npm({
    args: ['ci', '--prefix', nodeFolder, '--ignore-scripts', '--workspaces=false'],
    node: process.execPath,
    otherBytes: `what the npm registry serves as ${spec} is not what provision.mjs pins (its sha512 is another), so it was not installed: look at the registry that npm uses (npm config get registry), or install Node ${neededMajor} yourself (nodejs.org).`,
  })
  const node = presentNode()
  if (!node) throw new SetupError(`${spec} was installed but does not run here.`)
  return node
}

function runsAs(node, version) {
  return (
    existsSync(node) && spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim() === `v${version}`
  )
}

// ---- 2. Packages -----------------------------------------------------------------------------------------

/**
 * Whether `installed` (node_modules/.package-lock.json, which npm writes when an install has succeeded, or
 * null) holds everything `wanted` (package-lock.json) asks for. A full install satisfies `omitDev` too.
 */
export function isInstalled(wanted, installed, omitDev) {
  if (!installed) return false
  return Object.entries(wanted.packages).every(([path, entry]) => {
    // Workspaces are folders of the clone itself; optional packages depend on the platform.
    if (!path.startsWith('node_modules/') || entry.optional || entry.devOptional) return true
    if (omitDev && entry.dev) return true
    const present = installed.packages[path]
    return present?.version === entry.version && present?.integrity === entry.integrity
  })
}

function readJson(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}

function packagesArePresent(omitDev) {
  const wanted = readJson(join(root, 'package-lock.json'))
  if (!wanted) throw new SetupError('package-lock.json is missing: restore it from the repository.')
  return isInstalled(wanted, readJson(join(packagesFolder, '.package-lock.json')), omitDev)
}

async function installPackages(node, omitDev) {
  say(`installing the ${omitDev ? '' : 'development '}packages of package-lock.json into node_modules/.`)
  await npm({ args: ['ci', ...(omitDev ? ['--omit=dev'] : ['--include=dev'])], node })
}

/** Installs what `runtimes/<id>/package-lock.json` says into the `node_modules/` beside it. */
async function provideRuntime([wanted, ...rest]) {
  const runtimes = join(root, 'runtimes')
  const ids = readdirSync(runtimes).filter((name) => existsSync(join(runtimes, name, 'package-lock.json')))
  // The API writes 2026.04.
  const id = wanted?.replace('.', '-')
  if (!ids.includes(id) || rest.length > 0) throw new SetupError(`usage: npm run runtime <${ids.join('|')}>`)
  const folder = join(runtimes, id)
  const lock = readJson(join(folder, 'package-lock.json'))
  const present = () => isInstalled(lock, readJson(join(folder, 'node_modules', '.package-lock.json')), false)
  const wasPresent = present()
  if (!wasPresent) {
    requireWritable([nodeFolder, folder], `the packages of the runtime ${id}`)
    await exclusively(async () => {
      const node = presentNode() ?? (await installNode())
      if (!present()) await installRuntime({ id, folder, lock, node })
    })
  }
  await tellRuntime({ id, folder, wasPresent })
}

async function installRuntime({ id, folder, lock, node }) {
  const paths = packagesOf(lock)
  say(`installing the ${paths.length} packages of the runtime ${id}; that usually takes less than a minute.`)
  const stop = showProgress({ folder, paths, stream: process.stderr })
  await npm({ args: ['ci', '--prefix', folder, '--ignore-scripts', '--workspaces=false'], node }).finally(
    stop,
  )
}

/** What there is now, and what to do with it. */
async function tellRuntime({ id, folder, wasPresent }) {
  const modules = join(folder, 'node_modules')
  const { packages } = readJson(join(modules, '.package-lock.json'))
  const megabytes = Math.max(1, Math.round((await sizeOnDisk(modules)) / 1024 / 1024))
  const node = presentNode()
  if (node) await run({ command: [node, 'start/tell-chromium.ts', id], env: process.env, stdio: 'inherit' })
  say(
    `the runtime ${id} is ${wasPresent ? 'installed already' : 'installed'}: ${Object.keys(packages).length} packages, ${megabytes} MB in runtimes/${id}/node_modules/. "npm start" runs checks with it; an agent that runs already has to be started again for browser and multi-step checks.`,
  )
}

/** Runs the machine's npm under `node`; what it says is shown, unless `otherBytes` says it better. */
async function npm({ args, node, otherBytes }) {
  const startedAt = Date.now()
  // Native add-ons that have to be built find the headers beside the Node that will load them.
  const nodeHome = dirname(dirname(node))
  const headers = existsSync(join(nodeHome, 'include', 'node')) ? { npm_config_nodedir: nodeHome } : {}
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
  const cli = process.env.npm_execpath
  const command = cli && basename(cli) === 'npm-cli.js' && existsSync(cli) ? [node, cli] : ['npm']
  let output = ''
  const code = await run({
    command: [...command, ...args, ...quiet],
    env: { ...environmentFor(node), ...headers },
    stdio: ['ignore', 2, 'pipe'],
    onStderr: (text) => {
      output += text
    },
  }).catch((error) => {
    throw new SetupError(`npm could not be run (${error.message}): install npm 10 or newer.`)
  })
  if (code !== 0 && otherBytes && output.includes('EINTEGRITY')) throw new SetupError(otherBytes)
  process.stderr.write(output)
  if (code !== 0)
    throw new SetupError(
      `npm ${args[0]} failed (exit code ${code}); npm's own message is above. Check that the npm registry can be reached (npm ping), then run this again.`,
    )
  say(`done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`)
}

// ---- Who may install ---

/** @throws SetupError naming what is missing, when one of the folders can be neither made nor written. */
function requireWritable(folders, missing) {
  for (const folder of folders) {
    let nearest = folder
    while (!existsSync(nearest)) nearest = dirname(nearest)
    try {
      accessSync(nearest, accessModes.W_OK | accessModes.X_OK)
    } catch (error) {
      const [why, how] =
        error.code === 'EROFS'
          ? ['its file system is read-only', 'where it can be written']
          : ['this user may not', 'as a user who may']
      throw new SetupError(
        `${missing} must be installed first, and ${nearest} cannot be written (${why}): run this once ${how}.`,
      )
    }
  }
}

// ---- One at a time ---------------------------------------------------------------------------------------

/** Runs `work` while holding `.node/provision.lock`, a file with our pid; a holder that died is ignored. */
async function exclusively(work) {
  const lock = join(nodeFolder, 'provision.lock')
  mkdirSync(nodeFolder, { recursive: true })
  for (let waited = false; !tryToLock(lock); waited = true) {
    if (!waited) say('another run is installing in this folder; waiting for it.')
    await sleep(200)
  }
  try {
    return await work()
  } finally {
    rmSync(lock, { force: true })
  }
}

function tryToLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    const holder = existsSync(lock) ? readFileSync(lock, 'utf8') : ''
    if (holder && !isAlive(Number(holder))) rmSync(lock, { force: true })
    return false
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

// ---- 3. The task -----------------------------------------------------------------------------------------

function environmentFor(node) {
  return { ...process.env, PATH: dirname(node) + delimiter + (process.env.PATH ?? '') }
}

/** Runs a command, passing signals on; resolves to its exit code (128 + n after signal n). */
function run({ command: [program, ...args], env, stdio, onStderr }) {
  const child = spawn(program, args, { cwd: root, env, stdio })
  if (onStderr) child.stderr.setEncoding('utf8').on('data', onStderr)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  const pass = (signal) => child.kill(signal)
  for (const signal of signals) process.on(signal, pass)
  // npm does not pass a SIGTERM on to its script: it dies, and leaves us to somebody else.
  const parent = process.ppid
  const orphaned = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(orphaned)
    child.kill('SIGTERM')
  }, 1000)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  }).finally(() => {
    clearInterval(orphaned)
    for (const signal of signals) process.off(signal, pass)
  })
}

/** Makes sure of everything that a task needs; nothing is locked or written where it is there already. */
async function provide({ omitDev }) {
  const present = presentNode()
  const packages = packagesArePresent(omitDev)
  if (present && packages) return present
  const missing = [
    ...(present ? [] : [`Node ${neededMajor} (${pinnedPackage().name})`]),
    ...(packages ? [] : ['the packages of package-lock.json']),
  ]
  requireWritable([nodeFolder, ...(packages ? [] : [packagesFolder])], missing.join(' and '))
  return exclusively(async () => {
    const node = presentNode() ?? (await installNode())
    if (!packagesArePresent(omitDev)) await installPackages(node, omitDev)
    return node
  })
}

async function main([name, ...args]) {
  if (name === 'runtime') {
    await provideRuntime(args)
    return 0
  }
  const task = Object.hasOwn(tasks, name ?? '') ? tasks[name] : undefined
  if (!task)
    throw new SetupError(
      `usage: node provision.mjs <${[...Object.keys(tasks), 'runtime'].join('|')}> [arguments]`,
    )
  const node = await provide(task)
  let exitCode = 0
  for (const command of task.commands) {
    const code = await run({
      command: [node, ...command, ...args],
      env: environmentFor(node),
      stdio: 'inherit',
    })
    exitCode ||= code
  }
  return exitCode
}

if (process.argv[1] && realpathSync(process.argv[1]) === realpathSync(fileURLToPath(import.meta.url))) {
  try {
    process.exitCode = await main(process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    say(error.message)
    process.exitCode = 1
  }
}
