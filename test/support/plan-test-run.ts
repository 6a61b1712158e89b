/** Which test files share a process, and which go first. Pure. */

export type TestFile = {
  file: string
  /** As an earlier run measured it, or a guess. */
  seconds: number
  /** It says why it needs a process of its own. */
  isAlone: boolean
}

/** A file that takes so long gains nothing from the company of others. */
const longSeconds = 5
const groupSeconds = 10
const groupFiles = 16

/** A line in the file such as `// Runs in a process of its own: it measures memory.` */
export const saysAlone = (source: string): boolean => /^\/\/ Runs in a process of its own: ./m.test(source)

const total = (files: TestFile[]) => files.reduce((sum, { seconds }) => sum + seconds, 0)

/** Longest first, so that no long one begins when the others are done. Neighbours share a process: they import the same. */
export function planTestRun(files: TestFile[]): string[][] {
  const groups: TestFile[][] = []
  const shared: TestFile[][] = []
  for (const file of files.toSorted((a, b) => (a.file < b.file ? -1 : 1))) {
    const last = shared.at(-1)
    if (file.isAlone || file.seconds >= longSeconds) groups.push([file])
    else if (last && last.length < groupFiles && total(last) + file.seconds <= groupSeconds) last.push(file)
    else shared.push([file])
  }
  return [...groups, ...shared]
    .toSorted((a, b) => total(b) - total(a))
    .map((group) => group.map(({ file }) => file))
}
