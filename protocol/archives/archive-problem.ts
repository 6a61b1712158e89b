/** What is wrong with a project, in a sentence about it: its author has to know. */
export class ArchiveProblem extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ArchiveProblem'
  }
}
