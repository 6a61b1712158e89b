/** Files and folders of a suite, in the part of its private folder that it may write. */
export const suiteFiles = {
  project: 'suite',
  state: 'suite-state.json',
  /** The process that runs the tests: who stops it softly has to know it. */
  runner: 'runner.pid',
} as const

/** As many as a result may have (`maxSuiteTests`), for the processes of a suite, which have no schemas. */
export const maxListedTests = 2000
