/** What a server did against the protocol; `message` continues a sentence that starts with its name. */
export type ProtocolViolation = { code: 'MALFORMED_RESPONSE' | 'HEADERS_TOO_LARGE'; message: string }

export const malformedResponse = (message: string): ProtocolViolation => ({
  code: 'MALFORMED_RESPONSE',
  message,
})
