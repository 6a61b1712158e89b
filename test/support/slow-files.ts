/** test/slow-files.json: the seconds that slow test files took once. It decides order and company, nothing else. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileResult } from './run-test-file.ts'

/** Of a file that is not in the record: it is quick, or new. */
const unrecordedSeconds = 0.5
const recordedFromSeconds = 1

const pathIn = (root: string) => join(root, 'test', 'slow-files.json')

const read = (root: string): Record<string, number> =>
  existsSync(pathIn(root)) ? JSON.parse(readFileSync(pathIn(root), 'utf8')) : {}

export function readSlowFiles(root: string): { secondsOf: (file: string) => number } {
  const recorded = read(root)
  return { secondsOf: (file) => recorded[file] ?? unrecordedSeconds }
}

/** Files that did not run keep their seconds; those that are gone lose them. */
export function writeSlowFiles(root: string, results: FileResult[]): void {
  const measured = results.map(({ file, durationMs }) => [file, Math.round(durationMs / 100) / 10] as const)
  const seconds = Object.entries({ ...read(root), ...Object.fromEntries(measured) })
    .filter(([file, value]) => value >= recordedFromSeconds && existsSync(join(root, file)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(pathIn(root), `${JSON.stringify(Object.fromEntries(seconds), null, 2)}\n`)
}
