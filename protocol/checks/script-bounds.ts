/**
 * How much a result tells of one script. In a file of its own: the process of a script takes it along, and no library of schemas.
 */
export const scriptBounds = {
  steps: 200,
  stepTitle: 300,
  stepDepth: 9,
  pageErrors: 50,
  errorText: 1000,
  url: 2048,
  /** On either side of the line that failed. */
  neighbours: 3,
  lineLength: 300,
} as const
