import type { DnsMessage } from './message.ts'

/** What JSON_ANSWER looks at: DNS over HTTPS' JSON, but with names for types and codes. */
export const jsonAnswer = ({ code, flags, questions, answers }: DnsMessage) => ({
  Status: code,
  TC: flags.tc,
  RD: flags.rd,
  RA: flags.ra,
  AD: flags.ad,
  CD: flags.cd,
  Question: questions.map(({ name, type }) => ({ name, type })),
  Answer: answers.map(({ name, type, ttl, data }) => ({ name, type, TTL: ttl, data })),
})

/** What TEXT_ANSWER looks at: laid out as dig does, under a line with the code and the time. */
export const textAnswer = (message: DnsMessage, responseTime: number): string => {
  const { id, opcode, code, flags, questions, answers, authorities, additionals } = message
  const set = ['qr', ...Object.entries(flags).flatMap(([name, isSet]) => (isSet ? [name] : []))]
  const counts = [
    `QUERY: ${questions.length}`,
    `ANSWER: ${answers.length}`,
    `AUTHORITY: ${authorities}`,
    `ADDITIONAL: ${additionals}`,
  ]
  return [
    `${code} ${responseTime} ms`,
    `;; opcode: ${opcode}, status: ${code}, id: ${id}`,
    `;; flags: ${set.join(' ')}; ${counts.join(', ')}`,
    '',
    ';; QUESTION SECTION:',
    ...questions.map(({ name, type, class: of }) => `;${name}\t${of}\t${type}`),
    '',
    ';; ANSWER SECTION:',
    ...answers.map(({ name, ttl, class: of, type, data }) => [name, ttl, of, type, data].join('\t')),
  ].join('\n')
}
