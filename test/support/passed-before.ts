/**
 * What `.ci/run` runs once: its first step tells which files passed as a whole, and whether types, format and lint did
 * (`--tell-passed`); its second leaves out what nothing has changed meanwhile (`--passed-before`), with its counts.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { FileMarks } from './file-marks.ts'
import { enginesVariable, isPartOf, type Length } from './length.ts'
import type { FileResult } from './run-test-file.ts'
import { sameAgain } from './same-again.ts'
import { readSources } from './sources.ts'

/** `passed`: how much, by file. `sources`: their types, format and lint are as they should be. */
type Told = { length: Length; engines: string | null; sources: boolean; passed: Record<string, number> }

const engines = (): string | null => process.env[enginesVariable] ?? null

/** A file that skipped something has not run as a whole. */
export function tellPassed(path: string, length: Length, results: FileResult[], sources: boolean): void {
  const whole = results.filter(({ passed, failed, skipped }) => passed > 0 && failed === 0 && skipped === 0)
  const passed = Object.fromEntries(whole.map(({ file, passed }) => [file, passed]))
  const told: Told = { length, engines: engines(), sources, passed }
  writeFileSync(path, JSON.stringify(told))
}

type Marked = { file: string } & Pick<FileMarks, 'bothEnginesFrom'>
export type Chosen<F> = { files: F[]; before: { files: string[]; passed: number; sources: boolean } }

/** An earlier step that broke has told nothing: then all files run. */
export function leaveOutPassed<F extends Marked>(files: F[], path: string, length: Length): Chosen<F> {
  const told: Told | null = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
  const sources = told?.sources ?? false
  if (told === null || told.engines !== engines()) return { files, before: { files: [], passed: 0, sources } }
  const isSame = sameAgain(readSources())
  const hasRun = ({ file, bothEnginesFrom }: F): boolean =>
    told.passed[file] !== undefined &&
    isPartOf(told.length, bothEnginesFrom) === isPartOf(length, bothEnginesFrom) &&
    isSame(file)
  const before = files.filter(hasRun).map(({ file }) => file)
  return {
    files: files.filter(({ file }) => !before.includes(file)),
    before: {
      files: before,
      passed: before.reduce((sum, file) => sum + (told.passed[file] ?? 0), 0),
      sources,
    },
  }
}
