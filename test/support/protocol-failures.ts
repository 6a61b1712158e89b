/** What checks of one protocol alone fail with: the rule that says why, code and message, and what its sentences must name. */
export const protocolFailures: [rule: string, code: string, message: string, says: RegExp][] = [
  [
    'grpc-not-serving',
    'NOT_SERVING',
    'The server says that it is NOT_SERVING',
    /NOT_SERVING\. The server itself answers/,
  ],
  [
    'grpc-status',
    'GRPC_STATUS',
    'The call ended with status 14 (UNAVAILABLE): no backend',
    /14 \(UNAVAILABLE\): no backend\. Name, connection/,
  ],
  [
    'grpc-description',
    'UNKNOWN_METHOD',
    'There is no method a.B/C: there are a.B/D',
    /no method a\.B\/C.*do not agree/,
  ],
  [
    'grpc-other-protocol',
    'NOT_HTTP2',
    'shop.example:443 does not speak HTTP/2, which gRPC needs',
    /Something else listens there/,
  ],
  [
    'security-baseline',
    'SECURITY_BASELINE',
    'The security baseline is not met by shop.example:443: minTLSVersion: TLS1.1, expected at least TLS1.2',
    /minTLSVersion: TLS1\.1/,
  ],
  [
    'way-ends',
    'NOT_REACHED',
    'The target was not reached. The traceroute to 203.0.113.7 port 443 (TCP) ends at hop 2',
    /ends at hop 2/,
  ],
]
