/** What is wrong with a project, in a sentence about it: its author has to know. */
export class BundleProblem extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BundleProblem'
  }
}
