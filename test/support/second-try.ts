/**
 * Files that fail beside others are tried once more by themselves, when the others are done: what passes then depends on the
 * machine's load. It is named, to be mended, and fails no run; what is broken fails twice.
 */
import type { FileResult } from './run-test-file.ts'

/** More than these are no bad luck. */
export const secondTries = 5

export type SecondTry = {
  /** Of all files: where a second try passed, it counts. */
  results: FileResult[]
  lines: string[]
}

/** `isFile`: a failure may also be of the run itself, which cannot be tried again. */
export async function trySecond(
  results: FileResult[],
  isFile: (name: string) => boolean,
  run: (files: string[]) => Promise<FileResult[]>,
): Promise<SecondTry> {
  const failed = results.filter(({ failed }) => failed > 0)
  const files = failed.map(({ file }) => file)
  if (files.length === 0 || files.length > secondTries || !files.every(isFile)) return { results, lines: [] }
  const passed = (await run(files)).filter(({ failed }) => failed === 0)
  const second = new Map(passed.map((result) => [result.file, result]))
  return {
    results: results.map((result) => second.get(result.file) ?? result),
    lines: [...second.keys()].map(
      (file) => `UNSTEADY ${file}: it failed beside others (above) and passed by itself`,
    ),
  }
}
