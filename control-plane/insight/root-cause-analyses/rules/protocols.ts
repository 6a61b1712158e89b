/** What checks of one protocol alone find: calls of gRPC, the security of a TLS server, the way of packets. */
import { tell } from '../../../platform/words/told.ts'
import { codeOf, type Facts, hostOf, messageOf } from '../facts.ts'
import { artifact, evidence, nobodyGetsIn, type Rule, rfc } from './rule.ts'

const codes =
  (...accepted: string[]) =>
  (facts: Facts): boolean =>
    accepted.includes(codeOf(facts))

const measured = ({ run }: Facts) => [
  evidence(`Measured: ${JSON.stringify(run.metrics)}`.slice(0, 500), artifact.metrics),
]

export const protocolRules: Rule[] = [
  {
    id: 'grpc-not-serving',
    classification: 'SERVER_ERROR',
    applies: codes('NOT_SERVING'),
    rootCause: (facts) =>
      tell`${messageOf(facts)}. The server itself answers: whoever keeps its health says that it should get no calls, or does not know the service.`,
    userImpact: (facts) =>
      tell`Load balancers and clients that ask for the health of ${hostOf(facts)} send it nothing.`,
    fix: () =>
      tell`Look at what sets the health of the service: a dependency that it waits for, a shutdown that is under way, or a service that was never registered. Compare the name in the check with those that the server knows.`,
    evidence: measured,
  },
  {
    id: 'grpc-status',
    classification: 'SERVER_ERROR',
    applies: codes('GRPC_STATUS'),
    rootCause: (facts) =>
      tell`${messageOf(facts)}. Name, connection and the protocol worked: the service itself has ended the call with this status.`,
    userImpact: (facts) => tell`Clients of ${hostOf(facts)} that make this call get the same status.`,
    fix: () =>
      tell`Look at the log of the service at that time. UNAVAILABLE and DEADLINE_EXCEEDED speak of what it calls itself, UNAUTHENTICATED and PERMISSION_DENIED of the metadata of the check, INVALID_ARGUMENT and NOT_FOUND of its message.`,
    evidence: measured,
  },
  {
    id: 'grpc-description',
    classification: 'CONFIGURATION_ERROR',
    applies: codes(
      ...['REFLECTION_FAILED', 'UNKNOWN_METHOD', 'NOT_UNARY', 'INVALID_METHOD', 'INVALID_PROTO'],
      ...['INVALID_SERVICE', 'INVALID_MESSAGE', 'INVALID_ANSWER'],
    ),
    rootCause: (facts) =>
      tell`${messageOf(facts)}. The check and the server do not agree on what the service looks like.`,
    userImpact: () => tell`Clients that were made from the same description may fail as well.`,
    fix: () =>
      tell`Was the service renamed, or its messages changed? Put its present .proto file into the check, or turn reflection on at the server.`,
    evidence: measured,
  },
  {
    id: 'grpc-other-protocol',
    classification: 'CONFIGURATION_ERROR',
    applies: codes('NOT_HTTP2', 'NOT_GRPC'),
    rootCause: (facts) =>
      tell`${messageOf(facts)}. Something else listens there, or a proxy in between does not let gRPC through.`,
    userImpact: (facts) => nobodyGetsIn(hostOf(facts)),
    fix: () =>
      tell`Compare the port and \`tls\` of the check with those of the server. A proxy or ingress has to be told that the backend speaks gRPC.`,
    evidence: measured,
    links: [rfc(9113, '3', 'starting HTTP/2')],
  },
  {
    id: 'security-baseline',
    classification: 'CERTIFICATE_ERROR',
    applies: codes('SECURITY_BASELINE'),
    rootCause: (facts) =>
      tell`${messageOf(facts)}. Clients still connect: it is the strength that is missing.`,
    userImpact: () => tell`Nobody notices yet; clients with strict settings refuse such a server.`,
    fix: () =>
      tell`Change the protocols, ciphers or key at whatever ends TLS; a rule that is not meant for this server can be given another severity in the check.`,
    evidence: measured,
    links: [rfc(9325, '3', 'general recommendations')],
  },
  {
    id: 'way-ends',
    classification: 'NETWORK_ERROR',
    applies: codes('NOT_REACHED'),
    rootCause: (facts) => tell`${messageOf(facts)}.`,
    userImpact: (facts) => nobodyGetsIn(hostOf(facts)),
    fix: () =>
      tell`Look at the router where the way ends and at the one after it: routes, filters, and whether the target takes connections at that port. Routers that say nothing may still forward; compare with a run that passed.`,
    evidence: measured,
  },
]
