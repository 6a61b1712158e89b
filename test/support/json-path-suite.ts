/** The cases of the JSONPath Compliance Test Suite, in its own format, and what our reading of a path makes of one. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { readJsonPath } from '../../agent/assertions/json-path.ts'
import { isReadError, isValueList } from '../../agent/assertions/reading.ts'

/** `results`: orders of members that are right as well. */
export type PathCase = {
  name: string
  selector: string
  document?: unknown
  result?: unknown[]
  results?: unknown[][]
  invalid_selector?: boolean
}

/** Beside the clone, where JSONPATH_SUITE names no other file: the suite is not ours to copy. */
const file =
  process.env['JSONPATH_SUITE'] ??
  fileURLToPath(new URL('../../../shared/data/jsonpath-compliance-suite.json', import.meta.url))

/** Null where it is not at hand. */
export const readSuite = (): readonly PathCase[] | null =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { tests: PathCase[] }).tests : null

export const isRight = ({ selector, document, result, results, invalid_selector }: PathCase): boolean => {
  const found = readJsonPath(selector, document, Number.POSITIVE_INFINITY)
  if (isReadError(found)) return invalid_selector === true
  const values = isValueList(found) ? found.values : found === undefined ? [] : [found]
  return [result, ...(results ?? [])].some(
    (right) => right !== undefined && isDeepStrictEqual([...values], right),
  )
}
