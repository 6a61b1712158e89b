import { askNameServers } from '../dns/ask.ts'
import { parseNameServer } from '../dns/name-servers.ts'
import { nameOfQuery, type RecordType } from '../dns/question.ts'
import type { ConnectionState } from '../net/connect/failures.ts'
import type { Client } from './client.ts'
import { type DnsReply, questionTypes, type SocksRequest } from './socks.ts'

/** Asks the name servers of this agent, as a DNS check without one of its own does. */
export const answerQuestion = async (
  { host, port }: SocksRequest,
  { session: { io }, signal }: Client,
): Promise<DnsReply> => {
  const type = typeOf(port)
  const name = nameOfQuery(host)
  if (type === null || name === null) return failed('NOTIMP')
  const state: ConnectionState = { host, address: null, port: 0, elapsedMs: 0, phase: 'answer' }
  const servers = io.nameServers().map(parseNameServer)
  const context = { question: { name, type }, protocol: 'UDP', state, io, signal } as const
  const result = await askNameServers(servers, context)
  if (result === null || 'failure' in result) return failed(result?.failure.code ?? 'TIMEOUT')
  const { code, answers } = result.message
  // The names on the way to the records (CNAME) are no records of the kind that was asked for.
  return { code, records: answers.filter((record) => record.type === type) }
}

const failed = (code: string): DnsReply => ({ code, records: [] })

const typeOf = (number: number): RecordType | null => {
  const [type] = Object.entries(questionTypes).find(([, value]) => value === number) ?? []
  return (type as RecordType | undefined) ?? null
}
