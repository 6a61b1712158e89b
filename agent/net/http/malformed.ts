/** What a server did against the protocol; `message` continues a sentence that starts with its name. */
export type Malformed = { code: 'MALFORMED_RESPONSE' | 'HEADERS_TOO_LARGE'; message: string }

export const malformed = (message: string): Malformed => ({ code: 'MALFORMED_RESPONSE', message })
