/** A request that cannot be sent as its check describes it: the check's failure, with the code and sentence of a result. */
export class RequestError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.name = 'RequestError'
    this.code = code
  }
}
