/** The connection could not be made, or broke. */
import { tell } from '../../../platform/words/told.ts'
import { codeOf, type Facts, hostOf, messageOf } from '../facts.ts'
import { artifact, evidence, nobodyGetsIn, type Rule, rfc } from './rule.ts'

const where = (facts: Facts): string => /\S+:\d+(?: \([^)]*\))?/.exec(messageOf(facts))?.[0] ?? hostOf(facts)

export const connectionRules: Rule[] = [
  {
    id: 'blocked-by-policy',
    classification: 'CONFIGURATION_ERROR',
    applies: (facts) => codeOf(facts) === 'BLOCKED_BY_POLICY',
    rootCause: (facts) =>
      tell`The agent was not allowed to connect to ${where(facts)}: its own network policy forbids that address. The target was never asked.`,
    userImpact: () => tell`None that is known: this says nothing about the target.`,
    fix: () =>
      tell`Run the check in a location whose agents may reach the address, or change BLOCKED_NETWORKS or ALLOWED_NETWORKS of these agents. 
        If the name is not supposed to resolve to this address, find out who changed its DNS record.`,
  },
  {
    id: 'no-ipv6',
    classification: 'CONFIGURATION_ERROR',
    applies: (facts) => codeOf(facts) === 'EADDRNOTAVAIL' || codeOf(facts) === 'EAFNOSUPPORT',
    rootCause: (facts) =>
      tell`The agent's machine has no address from which ${where(facts)} can be reached: most often IPv6 is asked for where only IPv4 is set up.`,
    userImpact: () => tell`None that is known: the request never left the agent.`,
    fix: () =>
      tell`Set \`ipFamily\` of the check to IPv4, or give the machine of the agent an IPv6 address and route.`,
  },
  {
    id: 'no-route',
    classification: 'NETWORK_ERROR',
    applies: (facts) =>
      ['EHOSTUNREACH', 'ENETUNREACH'].includes(codeOf(facts)) ||
      /ERR_ADDRESS_UNREACHABLE/.test(messageOf(facts)),
    rootCause: (facts) =>
      tell`There is no route to ${where(facts)}: a router or the agent's own routing table said so at once. The host may be gone from its network.`,
    userImpact: (facts) => nobodyGetsIn(hostOf(facts)),
    fix: (facts) =>
      tell`Check that the address ${hostOf(facts)} resolves to is still in use, then routes, VPN tunnels and security groups between the agent and it.`,
    links: [{ url: 'https://www.rfc-editor.org/rfc/rfc792', title: 'RFC 792: destination unreachable' }],
  },
  {
    id: 'connection-refused',
    classification: 'INFRA_ERROR',
    applies: (facts) => codeOf(facts) === 'ECONNREFUSED' || /ERR_CONNECTION_REFUSED/.test(messageOf(facts)),
    rootCause: (facts) =>
      tell`${where(facts)} refused the connection: the machine is up and answers, but nothing listens on that port (or a firewall rejects it). 
        Typical: the process crashed or is being restarted, it listens on another port or only on localhost, or the load balancer has no listener.`,
    userImpact: (facts) => nobodyGetsIn(where(facts)),
    fix: () =>
      tell`On the target: is the service running, since when, and what do its last log lines say? Does it listen on this port and on an outside 
        address (\`ss -ltnp\`)? Was something deployed or restarted when the failures began?`,
    links: [rfc(9293, '3.5.2', 'reset generation')],
  },
  {
    id: 'connect-timeout',
    classification: 'NETWORK_ERROR',
    applies: (facts) =>
      (codeOf(facts) === 'ETIMEDOUT' && !/handshake/.test(messageOf(facts))) ||
      /had not accepted the connection|ERR_CONNECTION_TIMED_OUT/.test(messageOf(facts)),
    rootCause: (facts) =>
      tell`${where(facts)} did not answer the connection at all: packets are being dropped. A firewall or security group, a machine that is down, 
        or a full accept queue behaves like this; a stopped process would have refused instead.`,
    userImpact: (facts) => tell`Users wait and then get nothing from ${where(facts)}.`,
    fix: () =>
      tell`Compare with the other locations: if only some fail, look at firewalls, allow lists and routes for their addresses. If all fail, check 
        that the machine or load balancer is up and whether its connection limits are exhausted.`,
    links: [rfc(9293, '3.8.3', 'TCP connection failures')],
  },
  {
    id: 'reset-mid-answer',
    classification: 'APPLICATION_ERROR',
    applies: (facts) =>
      /in the middle of its answer|ERR_CONTENT_LENGTH_MISMATCH|ERR_INCOMPLETE_CHUNKED/.test(messageOf(facts)),
    rootCause: (facts) =>
      tell`${where(facts)} began to answer and then closed the connection. The process (or the proxy before it) died, ran out of memory or hit a time limit 
        while it was sending.`,
    userImpact: () => tell`Users get truncated pages or broken downloads.`,
    fix: () =>
      tell`Look for crashes, out-of-memory kills and worker time-outs in the application and in the proxy at the time of the run; compare the size of this 
        answer with earlier ones.`,
    evidence: ({ run }) =>
      run.http === null ? [] : [evidence(`${run.http.bodyBytes} bytes had arrived.`, artifact.response)],
    links: [rfc(9112, '8', 'handling incomplete messages')],
  },
  {
    id: 'reset-without-answer',
    classification: 'INFRA_ERROR',
    applies: (facts) =>
      (['ECONNRESET', 'EPIPE'].includes(codeOf(facts)) && !/handshake/.test(messageOf(facts))) ||
      /ERR_CONNECTION_(RESET|CLOSED)|ERR_EMPTY_RESPONSE|socket hang up/.test(messageOf(facts)),
    rootCause: (facts) =>
      tell`${where(facts)} accepted the connection and closed it without an answer: a proxy without a healthy backend, a process that crashes on this 
        request, a connection limit, or plain HTTP spoken to a TLS port.`,
    userImpact: (facts) => tell`Users see a broken connection instead of ${hostOf(facts)}.`,
    fix: () =>
      tell`Check the health of the backends behind the proxy and the crash logs of the application. Make sure that scheme and port of the check fit together.`,
    links: [rfc(9112, '9.6', 'tear-down')],
  },
]
