/** What a write was allowed to do and will not do what was meant by it: `warnings` in its answer, and this header. */

/** A list of strings (RFC 9651, section 3.1). */
const warningHeader = 'watchpost-warning'

export const warningHeaders = (warnings: readonly { message: string }[]): Record<string, string> =>
  warnings.length === 0
    ? {}
    : { [warningHeader]: warnings.map(({ message }) => `"${message.replace(/[\\"]/g, '\\$&')}"`).join(', ') }
