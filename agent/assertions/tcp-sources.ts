import { type Sources, textSource } from './sources.ts'

/** What a TCP connection offers to assertions: what the peer sent, and milliseconds. */
export type TcpSubject = { data: string; responseTime: number }

export const tcpSources: Sources<TcpSubject> = {
  RESPONSE_DATA: textSource('response data', ({ data }) => data),
  RESPONSE_TIME: { label: 'response time', read: ({ responseTime }) => responseTime },
}
