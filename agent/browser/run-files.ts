/** Folders and files of a run, in the part of its private folder that it may write. */
export const runFiles = {
  /** The script with its files. */
  project: 'project',
  /** What the test runner leaves. */
  output: 'output',
  report: 'report.json',
  /** A `SeenState` of each process. */
  seen: 'seen',
} as const
