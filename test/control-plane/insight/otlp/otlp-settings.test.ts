import t from 'tap'
import { readConfig } from '../../../../control-plane/read-config.ts'

const read = (env: Record<string, string>) => readConfig(env).otlp

t.test('nothing is exported unless somebody says where to', async (t) => {
  t.equal(read({}), null)
  t.equal(read({ OTEL_SERVICE_NAME: 'probes', OTEL_EXPORTER_OTLP_HEADERS: 'a=b' }), null)
  const to = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
  t.equal(read({ ...to, OTEL_SDK_DISABLED: 'TRUE' }), null)
  t.equal(read({ ...to, OTEL_METRICS_EXPORTER: 'none', OTEL_TRACES_EXPORTER: 'none' }), null)
})

t.test('each signal has an address of its own, or none', async (t) => {
  t.match(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }), {
    metricsUrl: 'http://collector:4318/v1/metrics',
    tracesUrl: 'http://collector:4318/v1/traces',
    metricsEveryMs: 60_000,
    spansEveryMs: 5000,
    maxSpans: 2048,
  })
  t.match(read({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces:4318/x' }), {
    metricsUrl: null,
    tracesUrl: 'http://traces:4318/x',
  })
})

for (const [name, value] of [
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/json'],
  ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zstd'],
  ['OTEL_EXPORTER_OTLP_METRICS_TIMEOUT', '-1'],
  ['OTEL_METRIC_EXPORT_INTERVAL', '0'],
  ['OTEL_TRACES_EXPORTER', 'console'],
] as const)
  t.test(`what the SDK would pass over in silence is a problem: ${name}=${value}`, async (t) => {
    t.throws(() => read({ [name]: value }), { message: new RegExp(`\\b${name} must be `) })
  })
