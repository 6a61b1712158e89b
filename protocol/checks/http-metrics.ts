/** What runs of URL monitors and API checks measure. */
import { type Metric, measured, responseTime } from './metric.ts'

export const httpMetrics: readonly Metric[] = [
  responseTime,
  measured('wait', 'Waiting for a connection'),
  measured('dns', 'Name resolution'),
  measured('tcp', 'Connecting'),
  measured('firstByte', 'Waiting for the first byte'),
  measured('download', 'Download'),
]

export const tlsMetrics: readonly Metric[] = [
  measured('handshakeTimeMs', 'TLS handshake', { from: 'tls' }),
  {
    name: 'daysUntilExpiry',
    label: 'Days until the certificate expires',
    unit: 'count',
    from: { detail: 'response.certificate.daysRemaining' },
  },
]
