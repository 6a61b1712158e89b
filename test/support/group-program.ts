/**
 * A program: runs several test files one after the other in this process, each as one subtest, so that what they import
 * is loaded once. TEST_GROUP holds what to run as JSON. Where the output of a file begins and ends it writes marks, on
 * both outputs, that `readSections` reads.
 */
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import type { Group, Mark } from './group-sections.ts'
import { processorSeconds } from './processor-seconds.ts'

const group: Group = JSON.parse(process.env['TEST_GROUP'] ?? '')
delete process.env['TEST_GROUP']

const standIn = new URL('grouped-tap.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'tap' && context.parentURL !== standIn && context.parentURL !== import.meta.url
      ? { url: standIn, shortCircuit: true }
      : next(specifier, context),
})

const { default: root } = await import('tap')
const { startFile } = await import('./grouped-tap.ts')

const running: { file?: string; test?: Test; startedAt: number; usedBefore: number } = {
  startedAt: 0,
  usedBefore: 0,
}

const write = (mark: Mark) => {
  for (const output of [process.stdout, process.stderr])
    output.write(`\n${group.mark} ${JSON.stringify(mark)}\n`)
}

const begin = (file: string, test: Test): void => {
  Object.assign(running, { file, test, startedAt: performance.now(), usedBefore: processorSeconds() ?? 0 })
  write({ begins: file })
  startFile(test)
}

const end = (): void => {
  const { file, test, startedAt, usedBefore } = running
  if (!file || !test) return
  delete running.file
  const { total, pass, fail, skip, todo } = test.counts
  // In the words that tap has at the end of a file that runs alone.
  process.stdout.write(
    `\n# { total: ${total}, pass: ${pass}, fail: ${fail}, skip: ${skip}, todo: ${todo} }\n`,
  )
  const used = processorSeconds()
  write({
    ends: file,
    durationMs: performance.now() - startedAt,
    processorSeconds: used === null ? null : used - usedBefore,
  })
}

root.comment(`${group.files.length} files in one process`)
// After tap's own listener, which fails what has not finished: then that is counted.
process.once('exit', end)

for (const file of group.files) {
  await root.test(file, { timeout: group.fileTimeoutMs }, async (test) => {
    begin(file, test)
    await import(pathToFileURL(resolve(file)).href)
  })
  // What the file left for the next turn of the event loop is still its own.
  await setImmediate()
  end()
  // What hung may still run: the files after it get a process of their own.
  if (performance.now() - running.startedAt >= group.fileTimeoutMs) process.exit(1)
}
