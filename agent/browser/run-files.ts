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

/** Files and folders of a suite, in the part of its private folder that it may write. */
export const suiteFiles = {
  project: 'suite',
  state: 'suite-state.json',
  /** The process that runs the tests: who stops it softly has to know it. */
  runner: 'runner.pid',
} as const

/** As many as a result may have (`maxSuiteTests`), for the processes of a suite, which have no schemas. */
export const maxListedTests = 2000
