/** A judge from outside: the real Prometheus and its promtool, as Debian packages them. */
import { spawn, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { endsWith, follow, type Program, scratchFolder, type Teardown } from './programs.ts'
import { until } from './until.ts'

/** Null if both programs are here, otherwise why the tests that need them are skipped. */
export const prometheusProblem = (): string | null =>
  ['prometheus', 'promtool'].every((program) => spawnSync(program, ['--version']).status === 0)
    ? null
    : 'prometheus is not installed'

/** `printed`: both outputs in one. */
export type PromtoolAnswer = { status: number | null; printed: string }

/** Runs promtool until it ends, in the background: what it scrapes may be served by this process. */
export const promtool = async (
  t: Teardown,
  args: readonly string[],
  stdin: string | Buffer = '',
): Promise<PromtoolAnswer> => {
  const child = spawn('promtool', args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const printed: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(chunk))
  t.teardown(() => {
    child.kill('SIGKILL')
  })
  // It may end before it has read all: its status tells why.
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return { status, printed: Buffer.concat(printed).toString('utf8') }
}

export type Sample = { labels: Record<string, string>; value: number }

export type Prometheus = Program & {
  url: string
  /** The samples of an instant query. */
  query(expression: string): Promise<Sample[]>
  /** The samples as soon as there are any. */
  untilSamples(expression: string): Promise<Sample[]>
}

/** `files`: rules and the like by name, beside `config`. */
export type PrometheusFiles = { config: string; files?: Record<string, string>; args?: readonly string[] }

/** A Prometheus with a scratch folder on a free port of the loopback; it is gone when `t` ends. */
export const startPrometheus = async (
  t: Teardown,
  { config, files = {}, args = [] }: PrometheusFiles,
): Promise<Prometheus> => {
  const folder = await scratchFolder(t)
  for (const [name, text] of Object.entries({ ...files, 'prometheus.yml': config }))
    await writeFile(join(folder, name), text)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const program = endsWith(
    t,
    follow(spawn('prometheus', [...prometheusArguments(folder, port), ...args]), 'prometheus'),
  )
  await until('Prometheus is ready', async () => {
    if (!program.running()) throw new Error(`Prometheus ended:\n${program.output()}`)
    return (await fetch(`${url}/-/ready`).catch(() => null))?.ok ?? false
  })
  const query = async (expression: string): Promise<Sample[]> => {
    const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expression })}`)
    const { status, data, error } = (await answer.json()) as QueryAnswer
    if (status !== 'success') throw new Error(`Prometheus refused ${expression}: ${error}`)
    return data.result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }))
  }
  const untilSamples = async (expression: string): Promise<Sample[]> => {
    await until(`${expression} has samples`, async () => (await query(expression)).length > 0)
    return query(expression)
  }
  return { ...program, url, query, untilSamples }
}

type QueryAnswer = {
  status: string
  error?: string
  data: { result: Array<{ metric: Record<string, string>; value: [number, string] }> }
}

const prometheusArguments = (folder: string, port: number): string[] => [
  `--config.file=${join(folder, 'prometheus.yml')}`,
  `--storage.tsdb.path=${join(folder, 'tsdb')}`,
  `--web.listen-address=127.0.0.1:${port}`,
]

/** Prometheus cannot be asked which port the kernel gave it. */
const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
