/** The name could not be resolved. */
import { tell } from '../../../platform/words/told.ts'
import { codeOf, hostOf, messageOf } from '../facts.ts'
import { nobodyGetsIn, type Rule, rfc } from './rule.ts'

const unresolved = 'DNS_ERROR'

export const nameRules: Rule[] = [
  {
    id: 'name-server-refused',
    classification: unresolved,
    applies: (facts) => /name server (refused|answered REFUSED)/i.test(messageOf(facts)),
    rootCause: (facts) =>
      tell`The name server that the agent asks refused the question for ${hostOf(facts)}. It is up, but does not want to 
        answer this client or this name.`,
    userImpact: () =>
      tell`Users who ask other name servers may not notice; everything in the network of this agent does.`,
    fix: (facts) =>
      tell`Ask the agent's name server for ${hostOf(facts)} yourself. Check its access lists and forwarders, and DNS_SERVERS 
        of the agent if it is set.`,
    links: [rfc(1035, '4.1.1', 'response code REFUSED')],
  },
  {
    id: 'name-does-not-exist',
    classification: unresolved,
    applies: (facts) =>
      ['ENOTFOUND', 'NXDOMAIN', 'ERR_NAME_NOT_RESOLVED'].includes(codeOf(facts)) ||
      /NXDOMAIN|ERR_NAME_NOT_RESOLVED/.test(messageOf(facts)),
    rootCause: (facts) =>
      tell`The name ${hostOf(facts)} does not exist in DNS, or has no address of the family that the check asks for. No connection was attempted.`,
    userImpact: (facts) => nobodyGetsIn(hostOf(facts)),
    fix: (facts) =>
      tell`Look up ${hostOf(facts)} (A and AAAA) at its authoritative servers. Then: was the record removed or renamed by a 
        deployment, has the domain expired at the registrar, do the delegation (NS) records still point to the right servers? 
        If it only has IPv6 addresses, set the check's \`ipFamily\` to IPv6. A name of an internal zone resolves only in locations that use the internal resolver.`,
    links: [rfc(2308, '2', 'negative responses')],
  },
  {
    id: 'name-server-silent',
    classification: unresolved,
    applies: (facts) =>
      ['EAI_AGAIN', 'ETIMEOUT'].includes(codeOf(facts)) || /still being looked up/.test(messageOf(facts)),
    rootCause: (facts) =>
      tell`No name server answered for ${hostOf(facts)} in time. The name itself may be fine: the resolver of the agent, or 
        the way from it to the authoritative servers, is not.`,
    userImpact: (facts) =>
      tell`Users whose resolver has the same error cannot reach ${hostOf(facts)}; others go on from their caches until the records expire.`,
    fix: (facts) =>
      tell`Check that the agent's resolver is up and reachable over UDP and TCP port 53. If other names resolve there, ask the 
        authoritative servers of ${hostOf(facts)} directly: they are the next suspect.`,
    links: [rfc(1035, '7.2', 'sending the queries')],
  },
  {
    id: 'name-server-failed',
    classification: unresolved,
    applies: (facts) => codeOf(facts) === 'ESERVFAIL' || /SERVFAIL|failed to resolve/.test(messageOf(facts)),
    rootCause: (facts) =>
      tell`The name server answered SERVFAIL for ${hostOf(facts)}: it could not get an answer that it trusts. Usual reasons are 
        a broken DNSSEC signature, a delegation to servers that do not know the zone, or authoritative servers that are down.`,
    userImpact: (facts) =>
      tell`Users behind validating resolvers cannot reach ${hostOf(facts)}; users behind others may still get through.`,
    fix: (facts) =>
      tell`Query ${hostOf(facts)} with and without DNSSEC checking (\`dig +cd\`). If it works without, renew the zone's signatures or the DS 
        record; if not, look at the NS delegation and the authoritative servers.`,
    links: [rfc(4035, '5.5', 'resolver behaviour when signatures do not validate')],
  },
]
