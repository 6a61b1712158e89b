/** A mistake in the template: trying again will not help. */
export class TemplateError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'TemplateError'
  }
}
