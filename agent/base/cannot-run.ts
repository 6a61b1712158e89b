/**
 * Thrown by a runner when this machine lacks what a check needs (a permission, a platform). Its message is the whole
 * reason that people read, so it says what would help; it is no fault to report to anybody.
 */
export class CannotRun extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CannotRun'
  }
}
