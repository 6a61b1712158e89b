/**
 * Why a request of the control plane could not be sent. `permanent`: trying again without a change of address or settings
 * will fail the same way. Codes of failures that are the operator's proxy's begin with PROXY_.
 */
export class OutgoingError extends Error {
  readonly code: string
  readonly permanent: boolean
  constructor(code: string, message: string, more: { permanent?: boolean; cause?: unknown } = {}) {
    super(message, more.cause === undefined ? {} : { cause: more.cause })
    this.name = 'OutgoingError'
    this.code = code
    this.permanent = more.permanent ?? false
  }
}

/** Of what the system threw: its code, or what it says. */
export const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
