/** A real server that speaks S3, keeps its objects on disk and judges signatures: rclone's, which .ci/run installs. */
import { spawn } from 'node:child_process'
import { existsSync, globSync, mkdirSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { follow, type Program, scratchFolder, type Teardown } from './programs.ts'

const program = fileURLToPath(new URL('../../.node/object-store/bin/rclone', import.meta.url))

export const objectStoreProblem = (): string | null =>
  existsSync(program) ? null : 'the object store of tests is not installed'

export type ObjectStore = {
  /** The settings of a control plane that keeps its artifacts there. */
  env: Record<string, string>
  /** The objects below the prefix, by name, with their sizes. */
  objects(): { name: string; size: number }[]
  goAway(): Promise<void>
  comeBack(): Promise<void>
}

export const secretKey = 'secret-of-the-object-store'
const accessKey = 'the-object-store-of-tests'

export const startObjectStore = async (t: Teardown): Promise<ObjectStore> => {
  const root = await scratchFolder(t)
  const files = join(root, 'served', 'artifacts', 'some', 'prefix')
  // A bucket is a folder here.
  mkdirSync(join(root, 'served', 'artifacts'), { recursive: true })
  const port = await freePort()
  let server: Program | null = null
  const start = async (): Promise<void> => {
    server = serve(root, port)
    await server.line(/Starting s3 server on/)
  }
  const end = async (): Promise<void> => server?.end('SIGKILL')
  t.teardown(end)
  await start()
  return {
    env: {
      ARTIFACTS_URL: 's3://artifacts/some/prefix',
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: accessKey,
      AWS_SECRET_ACCESS_KEY: secretKey,
    },
    objects: () =>
      globSync('**', { cwd: files })
        .sort()
        .map((name) => ({ name, file: statSync(join(files, name)) }))
        .filter(({ file }) => file.isFile())
        .map(({ name, file }) => ({ name, size: file.size })),
    goAway: end,
    comeBack: start,
  }
}

const serve = (root: string, port: number): Program =>
  follow(
    spawn(
      program,
      [
        ...['serve', 's3', join(root, 'served'), '--addr', `127.0.0.1:${port}`],
        ...['--auth-key', `${accessKey},${secretKey}`, '--config', '', '--cache-dir', join(root, 'cache')],
      ],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'], HOME: root } },
    ),
    'rclone',
  )

/** It comes back to the same one. */
const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
