/** `provision.mjs` in a small clone of its own: who may install, and what is accepted from the registry. */
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { cannotBePowerless, powerless } from './support/powerless.ts'
import { scratchFolder } from './support/programs.ts'
import { httpServer } from './support/servers.ts'
import { contentsOf, type NodePackage, packNode, writeClone } from './support/small-clone.ts'
import { noSmallDisk, readOnlyDisk } from './support/small-disk.ts'

const { nodePackage }: { nodePackage: (platform: string) => NodePackage | undefined } = await import(
  new URL('../provision.mjs', import.meta.url).href
)
const pinned = nodePackage(`${process.platform}-${process.arch}`)
if (pinned === undefined) t.plan(0, 'the registry has no Node for this platform')
else run(pinned)

/** Makes Node say that it is too old to run the programs. */
const asOldNode = [
  '--import',
  `data:text/javascript,Object.defineProperty(process,'version',{value:'v20.20.2'})`,
]
const admin = async (folder: string, env: Record<string, string> = {}, before: readonly string[] = []) => {
  const [file = '', ...args] = [
    ...before,
    process.execPath,
    ...asOldNode,
    join(folder, 'provision.mjs'),
    'admin',
  ]
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const options = { env: { PATH: process.env['PATH'], HOME: folder, ...env } }
    execFile(file, args, options, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
}

function run(node: NodePackage): void {
  const clone = async (t: Test): Promise<string> => {
    const folder = await scratchFolder(t)
    writeClone(folder, node)
    return folder
  }
  const allow = (folder: string, mode: number): void => {
    for (const part of ['.', '.node', '.node/node_modules', 'node_modules'])
      if (existsSync(join(folder, part))) chmodSync(join(folder, part), mode)
  }
  /** Nobody may write there any more: the modes of files apply to `powerless`. */
  const close = (folder: string): void => allow(folder, 0o555)
  /** So that an ordinary user can remove it when the test ends. */
  const open = (folder: string): void => allow(folder, 0o755)

  t.test(
    'where everything is installed nothing is locked or written, and nobody needs to',
    { skip: cannotBePowerless() },
    async (t) => {
      const folder = await clone(t)
      close(folder)
      const before = contentsOf(folder)
      t.strictSame(await admin(folder, {}, powerless), { code: 0, stdout: 'ran', stderr: '' })
      t.strictSame(contentsOf(folder), before)
      open(folder)
    },
  )

  const missing: Record<string, { remove: string; says: string }> = {
    'Node 24': { remove: '.node', says: `Node 24 (${node.name})` },
    packages: { remove: 'node_modules', says: 'the packages of package-lock.json' },
  }
  for (const [what, { remove, says }] of Object.entries(missing))
    t.test(
      `${what} that cannot be installed by this user are one sentence`,
      { skip: cannotBePowerless() },
      async (t) => {
        const folder = await clone(t)
        rmSync(join(folder, remove), { recursive: true })
        close(folder)
        const { code, stdout, stderr } = await admin(folder, {}, powerless)
        const where = remove === '.node' ? folder : join(folder, '.node')
        t.strictSame([code, stdout], [1, ''])
        t.equal(
          stderr,
          `watchpost: ${says} must be installed first, and ${where} cannot be written (this user may not): run this once as a user who may.\n`,
        )
        open(folder)
      },
    )

  t.test(
    'a read-only disk is enough where everything is installed, and one sentence where not',
    {
      skip: noSmallDisk(),
    },
    async (t) => {
      const full = await readOnlyDisk(t, (folder) => writeClone(folder, node))
      t.strictSame(await admin(full), { code: 0, stdout: 'ran', stderr: '' })
      const lacking = await readOnlyDisk(t, (folder) => {
        writeClone(folder, node)
        rmSync(join(folder, '.node'), { recursive: true })
        rmSync(join(folder, 'node_modules'), { recursive: true })
      })
      const { code, stderr } = await admin(lacking)
      t.equal(code, 1)
      t.equal(
        stderr,
        `watchpost: Node 24 (${node.name}) and the packages of package-lock.json must be installed first, and ${lacking} cannot be written (its file system is read-only): run this once where it can be written.\n`,
      )
    },
  )

  t.test('Node is installed only when it is, byte for byte, what provision.mjs pins', async (t) => {
    const folder = await clone(t)
    rmSync(join(folder, '.node'), { recursive: true })
    const served = packNode(await scratchFolder(t), node)
    const registry = await registryOf(t, node, served)
    const env = { npm_config_registry: registry, npm_config_cache: await scratchFolder(t) }

    const refused = await admin(folder, env)
    t.equal(refused.code, 1)
    const [fetching = '', sentence = '', ...more] = refused.stderr.trim().split('\n')
    t.match(fetching, `Fetching Node ${node.version}`)
    t.match(
      sentence,
      `watchpost: what the npm registry serves as ${node.name}@${node.version} is not what provision.mjs pins`,
    )
    t.strictSame(more, [], 'and nothing else')
    t.notOk(existsSync(join(folder, '.node/node_modules', node.name)), 'nothing of it is left')

    const program = join(folder, 'provision.mjs')
    writeFileSync(program, readFileSync(program, 'utf8').replaceAll(node.integrity, served.integrity))
    const accepted = await admin(folder, env)
    t.match(accepted, { code: 0, stdout: 'ran' }, accepted.stderr)
    t.strictSame(await admin(folder), { code: 0, stdout: 'ran', stderr: '' }, 'once is enough')

    writeFileSync(program, readFileSync(program, 'utf8').replaceAll(served.integrity, node.integrity))
    t.equal((await admin(folder, env)).code, 1, 'what was installed under another hash is not used')
  })
}

/** A registry with one package, which claims that its bytes are what they are. */
const registryOf = async (
  t: Test,
  { name, version }: NodePackage,
  { bytes, integrity }: { bytes: Buffer; integrity: string },
): Promise<string> => {
  const server = await httpServer(t, (request, response) => {
    if (request.url?.endsWith('.tgz')) return response.end(bytes)
    const dist = { integrity, tarball: `http://${request.headers.host}/node.tgz` }
    const versions = { [version]: { name, version, dist } }
    return response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }))
  })
  return server.origin
}
