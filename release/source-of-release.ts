/** What a release is made of: a commit, its time, and what the changelog says of the version. Or why none is made. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** A stop that the caller can act on: each problem is a sentence. */
export class ReleaseError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options)
    this.name = 'ReleaseError'
    this.problems = problems
  }
}

export type Source = {
  /** The clone. */
  root: string
  version: string
  commit: string
  /** Of the commit, in seconds: the only time in a release. */
  seconds: number
  /** The section of the changelog, without its heading. */
  notes: string
}

const semver = /^\d+\.\d+\.\d+(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/

export const charts = ['agent', 'control-plane'] as const

export const git = (root: string, args: readonly string[]): string => {
  const { status, stdout, stderr, error } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  if (error) throw new ReleaseError([`git could not be run: ${error.message}`], { cause: error })
  if (status !== 0) throw new ReleaseError([`git ${args[0]} failed: ${stderr.trim()}`])
  return stdout
}

/** @throws ReleaseError that names everything that is in the way */
export const sourceOf = (root: string, version: string): Source => {
  const changed = git(root, ['status', '--porcelain', '--untracked-files=normal']).split('\n').filter(Boolean)
  const notes = sectionOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)
  const problems = [
    ...(semver.test(version) ? [] : [`${version} is no version: --version 1.2.3, or 1.2.3-rc.1`]),
    ...otherVersions(root, version),
    ...(notes === null ? [`CHANGELOG.md has no section "## ${version}"`] : []),
    ...(changed.length === 0
      ? []
      : [
          `the clone is not as it was committed: ${changed
            .map((line) => line.slice(3))
            .slice(0, 5)
            .join(', ')}`,
        ]),
  ]
  if (problems.length > 0 || notes === null) throw new ReleaseError(problems)
  const [commit = '', seconds] = git(root, ['log', '-1', '--format=%H %ct']).trim().split(' ')
  return { root, version, commit, seconds: Number(seconds), notes }
}

/** Files that name the version, and another one. */
const otherVersions = (root: string, version: string): string[] => {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const named = [
    { path: 'package.json', found: JSON.parse(read('package.json')).version },
    ...charts.flatMap((name) => {
      const path = `helm/${name}/Chart.yaml`
      const chart = parse(read(path))
      return [
        { path, found: chart.version },
        { path: `${path} (appVersion)`, found: chart.appVersion },
      ]
    }),
  ]
  return named
    .filter(({ found }) => found !== version)
    .map(({ path, found }) => `${path} says ${found}, not ${version}`)
}

/** Of a changelog whose versions are headings of the second level: `## 1.2.3`, with a date behind it or without. */
export const sectionOf = (changelog: string, version: string): string | null => {
  const [, ...sections] = changelog.split(/^## /m)
  const own = sections.find((text) => text.split(/[\s,(]/, 1)[0]?.replace(/^\[|\]$/g, '') === version)
  const lines = own?.slice(own.indexOf('\n') + 1).trim()
  return lines === undefined || lines === '' ? null : lines
}
