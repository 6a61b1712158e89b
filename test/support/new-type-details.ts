/** What runs of SSL, gRPC and traceroute checks saw, as stored results have it. */
import type { GrpcCheckResult } from '../../protocol/checks/grpc-result.ts'
import type { SslCheckResult } from '../../protocol/checks/ssl-result.ts'
import type { TracerouteCheckResult } from '../../protocol/checks/traceroute-result.ts'

const validTo = '2026-03-01T00:00:00.000Z'

export const sslDetail: SslCheckResult = {
  assertions: [],
  request: { hostname: '192.0.2.7', port: 443, serverName: 'shop.example', ipFamily: 'IPv4' },
  tlsVersion: 'TLS1.2',
  cipherSuite: 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  daysUntilExpiry: 12,
  handshakeTimeMs: 20,
  chainTrusted: false,
  hostnameVerified: true,
  baselineVerdict: 'warn',
  baselineGrade: 'B',
  failureCategory: 'chain',
  timingPhases: { dns: 1, tcp: 10, tls: 20, total: 31 },
  response: {
    resolvedIp: '192.0.2.7',
    tlsVersion: 'TLS1.2',
    cipherSuite: 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
    chainTrusted: false,
    chainError: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    hostnameVerified: true,
    nameError: null,
    ocspStapled: true,
    ocspStatus: 'good',
    certificate: {
      subjectCN: 'shop.example',
      issuerCN: 'Test authority',
      subject: 'CN=shop.example',
      issuer: 'CN=Test authority',
      serialNumber: '0A',
      fingerprintSha256: 'AA:BB',
      issuerFingerprintSha256: null,
      keyAlgorithm: 'RSA',
      keySizeBits: 2048,
      signatureAlgorithm: 'sha256WithRSAEncryption',
      sans: ['shop.example'],
      selfSigned: false,
      isCA: false,
      validFrom: '2025-12-01T00:00:00.000Z',
      validTo,
      daysUntilExpiry: 12,
      daysRemaining: 12,
      mustStaple: false,
      sctPresent: false,
    },
    chain: [
      {
        subject: 'CN=shop.example',
        issuer: 'CN=Test authority',
        fingerprintSha256: 'AA:BB',
        validTo,
        daysUntilExpiry: 12,
        isCA: false,
      },
    ],
    securityBaseline: {
      verdict: 'warn',
      grade: 'B',
      rules: [
        {
          rule: 'recommendedTLSVersion',
          severity: 'degrade',
          passed: false,
          expected: 'at least TLS1.3',
          actual: 'TLS1.2',
        },
      ],
    },
  },
  requestError: null,
}

export const grpcDetail: GrpcCheckResult = {
  assertions: [],
  request: {
    host: 'orders.example',
    port: 443,
    ipFamily: 'IPv4',
    tls: true,
    grpcMethod: 'grpc.health.v1.Health/Check',
    message: '',
  },
  grpcStatusCode: 0,
  healthStatus: 1,
  timingPhases: { dns: 1, tcp: 10, tls: 20, reflection: null, call: 5, total: 36 },
  response: {
    grpcMode: 'HEALTH',
    host: 'orders.example',
    resolvedIp: '192.0.2.8',
    port: 443,
    grpcMethod: 'grpc.health.v1.Health/Check',
    responseMessage: '{"id":"a-1"}',
    truncated: false,
    grpcStatusMessage: '',
    healthStatusLabel: 'SERVING',
    metadata: [{ key: 'x-served-by', value: 'one' }],
    discoveredMethods: ['shop.v1.Shop/GetOrder'],
  },
  requestError: null,
}

const latency = { avg: 2.5, min: 2, max: 3, stdDev: 0.5 }

export const tracerouteDetail: TracerouteCheckResult = {
  assertions: [],
  request: {
    ...{ hostname: 'shop.example', protocol: 'TCP', port: 443, ipFamily: 'IPv4', maxHops: 30 },
    maxUnknownHops: 15,
  },
  totalHops: 2,
  destinationReached: true,
  finalHopLatency: latency,
  timingPhases: { dns: 1, total: 120 },
  response: {
    ...{ hostname: 'shop.example', resolvedIp: '192.0.2.7', ipFamily: 'IPv4', protocol: 'TCP' },
    ...{ probeProtocol: 'TCP', totalHops: 2, destinationReached: true, packetLoss: 0 },
    truncationReason: 'destinationReached',
    finalHopLatency: latency,
    hops: [
      {
        ...{ hopNumber: 1, mainIp: null, mainHost: null, mark: null, sent: 3, received: 0 },
        ...{ lossPercentage: 100, rtt: null },
      },
      {
        ...{ hopNumber: 2, mainIp: '192.0.2.7', mainHost: 'shop.example', mark: null, sent: 3, received: 3 },
        lossPercentage: 0,
        rtt: { lastMs: 2, avgMs: 2.5, bestMs: 2, worstMs: 3, stddevMs: 0.5 },
      },
    ],
  },
  requestError: null,
}
