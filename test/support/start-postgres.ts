import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export type PostgresServer = {
  url: string
  /** Of its first process; the others are below it. */
  pid: number
  stop: () => Promise<void>
  /** Shuts the server down, and cuts off whoever is connected. */
  goAway: () => Promise<void>
  /** Starts it again at the same address, with its data. */
  comeBack: () => Promise<void>
}

/** The name under which `test/run.ts` hands the shared server's URL to the test files. */
export const postgresUrlVariable = 'TEST_DATABASE_URL_POSTGRES'

/** Starts a server of its own; it also ends when this process ends without calling `stop`. */
export async function startPostgres({
  durable = false,
  binaries,
  replicaOf,
}: {
  durable?: boolean
  /** The folder of a server's programs, in place of the npm package's. */
  binaries?: string
  /** The address of a server that it is a standby of; it needs `binaries` with `pg_basebackup`. */
  replicaOf?: string
} = {}): Promise<PostgresServer> {
  const program = fileURLToPath(new URL('./postgres-server.ts', import.meta.url))
  // In its own process group: Ctrl-C reaches us, and the server goes when its standard input closes.
  const words = [
    ...(durable ? ['durable'] : []),
    ...(binaries === undefined ? [] : [`bin=${binaries}`]),
    ...(replicaOf === undefined ? [] : [`replica-of=${replicaOf}`]),
  ]
  const child = spawn(process.execPath, [program, ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const [line] = await Promise.race([once(lines, 'line'), exited])
  if (typeof line !== 'string') throw new Error('PostgreSQL did not start; the reason is above')
  const { url, pid }: { url: string; pid: number } = JSON.parse(line)
  const tell = async (command: string): Promise<void> => {
    const done = once(lines, 'line')
    child.stdin.write(`${command}\n`)
    await done
  }
  return {
    url,
    pid,
    goAway: () => tell('away'),
    comeBack: () => tell('back'),
    stop: async () => {
      child.stdin.end()
      await exited
    },
  }
}
