/** What `npm test` asks of the sources beside the tests: types, format and lint. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { secondsOfEnded } from './processor-seconds.ts'

export type CheckOptions = { root: string; print: (text: string) => void; signal: AbortSignal }

/** Runs one tool to its end and shows its output in one piece; the number of failures it stands for: 0 or 1. */
async function runTool(
  title: string,
  args: string[],
  { root, print, signal }: CheckOptions,
): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], signal })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text))
  const [code] = await once(child, 'close')
  // Of nobody's tests.
  secondsOfEnded()
  print(`${code === 0 ? 'ok  ' : 'FAIL'} ${title}\n${output.join('')}`.trimEnd())
  return code === 0 ? 0 : 1
}

/** One after the other: the tests run meanwhile. */
export async function checkSources(options: CheckOptions): Promise<number> {
  const colors = process.stdout.isTTY ? [] : ['--colors=off']
  // Each thread would check what it needs of the others again, and the tests want the processors meanwhile.
  const types = ['node_modules/typescript/bin/tsc', '-p', '.', '--singleThreaded']
  const style = ['node_modules/@biomejs/biome/bin/biome', 'ci', ...colors]
  return (
    (await runTool('types (tsc)', types, options)) +
    (await runTool('format and lint (biome)', style, options))
  )
}
