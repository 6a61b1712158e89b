/** What says which package manager installs a project, and which versions: each project has one. */
export const lockFiles: ReadonlySet<string> = new Set([
  'package-lock.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
])

export const isLockFile = (path: string): boolean => lockFiles.has(path.slice(path.lastIndexOf('/') + 1))
