/** Which test files share a process, and which go first. Pure. */
import type { FileMarks } from './file-marks.ts'

export type TestFile = {
  file: string
  /** As an earlier run measured it, or a guess. */
  seconds: number
  /** In this run. */
  onBothEngines: boolean
} & Pick<FileMarks, 'isAlone' | 'isLast'>

/** Files that run one after the other in one process. */
export type TestProcess = { files: string[]; onBothEngines: boolean }

/** A file that takes so long gains nothing from the company of others. */
const longSeconds = 40
const groupSeconds = 80
const groupFiles = 40

const isLast = (files: TestFile[]) => files.some(({ isLast }) => isLast)
const total = (files: TestFile[]) => files.reduce((sum, { seconds }) => sum + seconds, 0)

/** Longest first, so that no long one begins when the others are done; after them what says that it runs last. Neighbours share a process: they import the same. */
export function planTestRun(files: TestFile[]): TestProcess[] {
  const inOrder = files.toSorted((a, b) => (a.file < b.file ? -1 : 1))
  // Which engines tests run on is said to a whole process.
  const groups = [true, false].flatMap((both) =>
    groupNeighbours(inOrder.filter(({ onBothEngines }) => onBothEngines === both)),
  )
  return groups
    .toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)) || total(b) - total(a))
    .map((group) => ({
      files: group.map(({ file }) => file),
      onBothEngines: group.some(({ onBothEngines }) => onBothEngines),
    }))
}

function groupNeighbours(files: TestFile[]): TestFile[][] {
  const alone: TestFile[][] = []
  const shared: TestFile[][] = []
  for (const file of files) {
    const last = shared.at(-1)
    if (file.isAlone || file.isLast || file.seconds >= longSeconds) alone.push([file])
    else if (last && last.length < groupFiles && total(last) + file.seconds <= groupSeconds) last.push(file)
    else shared.push([file])
  }
  return [...alone, ...shared]
}
