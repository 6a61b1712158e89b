/** What settings of the programs may be: the same that the programs take when they start, so that a chart refuses it first. */
import { type JsonSchema, listText, nameServer, network, numbersPattern } from './kinds-of-values.ts'

/** A number, or the same as text; an empty text counts as unset. */
const whole = (minimum: number, maximum: number): JsonSchema => ({
  type: ['integer', 'string'],
  minimum,
  maximum,
  pattern: `^${numbersPattern(minimum, maximum)}?$`,
})
const decimal = (minimum: number): JsonSchema => ({
  type: ['number', 'string'],
  minimum,
  maximum: 999_999_999,
  pattern: '^([0-9]{1,9}(\\.[0-9]{1,9})?)?$',
})
const gigabytes = (minimum: number, pattern = '[0-9]{1,6}(\\.[0-9]{1,3})?'): JsonSchema => ({
  type: ['number', 'string'],
  minimum,
  maximum: 999_999,
  pattern: `^(${pattern})?$`,
})
/** From 0.01. */
const someGigabytes = '[1-9][0-9]{0,5}(\\.[0-9]{1,3})?|0\\.([1-9][0-9]{0,2}|0[1-9][0-9]?)'
const matching = (pattern: string): JsonSchema => ({ type: 'string', pattern })
/** YAML reads on and off as true and false, and the chart writes them back. */
const onOrOff: JsonSchema = { enum: [true, false, 'on', 'off', ''] }
const words = (...names: string[]): JsonSchema => ({ enum: [...names, ''] })
const inEitherCase = (...names: string[]): JsonSchema =>
  words(...names, ...names.map((name) => name.toUpperCase()))
const address = matching('^(https?://[^ /].*)?$')
const networks = matching(listText(network))

const numbers: { [setting: string]: [min: number, max: number] } = {
  UPTIME_CONCURRENCY: [1, 10_000],
  SCRIPT_CONCURRENCY: [1, 100],
  JOB_CONCURRENCY: [1, 10],
  PREPARED_BROWSERS: [0, 10],
  SPOOL_MAX_MB: [1, 1_000_000],
  SUITE_CACHE_MAX_MB: [0, 10_000_000],
  AGENT_LLM_TIMEOUT_SECONDS: [1, 240],
  AGENT_LLM_MAX_STEPS: [1, 200],
  AGENT_LLM_MAX_TOKENS: [1000, 10_000_000],
  AGENT_LLM_DAILY_TOKENS: [1000, 1_000_000_000_000],
  API_REQUESTS_PER_MINUTE: [1, 9_999_999],
  DATABASE_READ_MAX_LAG_SECONDS: [1, 99_999],
  STANDING_ORDERS_HOURS: [0, 999],
  STANDING_ORDERS_SECOND_OWNER_SECONDS: [0, 9999],
  STANDING_ORDERS_GRACE: [0, 99_999],
  OTEL_EXPORTER_OTLP_TIMEOUT: [1, 999_999_999],
  OTEL_METRIC_EXPORT_INTERVAL: [1, 999_999_999],
  OTEL_BSP_SCHEDULE_DELAY: [1, 999_999_999],
  OTEL_BSP_MAX_QUEUE_SIZE: [1, 999_999_999],
}

const others: { [setting: string]: JsonSchema } = {
  LOG_LEVEL: inEitherCase('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  SCRIPT_ISOLATION: inEitherCase('required', 'best'),
  CAPTURE: onOrOff,
  EXTERNAL_OBSERVABILITY: onOrOff,
  BLOCKED_NETWORKS: networks,
  ALLOWED_NETWORKS: networks,
  EGRESS_ALLOWED_NETWORKS: networks,
  DNS_SERVERS: matching(listText(nameServer)),
  AGENT_LLM_BASE_URL: address,
  AGENT_LLM_INPUT_PRICE: decimal(0),
  AGENT_LLM_OUTPUT_PRICE: decimal(0),
  AGENT_LLM_MAX_COST: decimal(0),
  AGENT_PROBE_TOKEN: matching('^([!-~]{16,200})?$'),
  FALLBACK_WEBHOOK_URL: address,
  FALLBACK_AFTER: {
    type: ['integer', 'string'],
    minimum: 15,
    maximum: 86_400,
    pattern: `^(${numbersPattern(15, 86_400)}s?|${numbersPattern(1, 1440)}m|${numbersPattern(1, 24)}h)?$`,
  },
  BUILD_REVISION: matching('^[A-Za-z0-9_.+-]{0,64}$'),
  DATABASE_POOLER: words('transaction', 'session'),
  DATABASE_READ_URL: matching('^(postgres(ql)?://.+)?$'),
  STORE_MAX_GB: gigabytes(0.01, someGigabytes),
  ARTIFACTS_ACCOUNT_MAX_GB: gigabytes(0),
  ARTIFACTS_LOCATION_MAX_GB: gigabytes(0),
  RCA_BASE_URL: address,
  WATCHDOG_URL: address,
  TWILIO_BASE_URL: address,
  SLACK_BASE_URL: address,
  PAGERDUTY_BASE_URL: address,
  OPSGENIE_BASE_URL: address,
  OTEL_EXPORTER_OTLP_ENDPOINT: address,
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: address,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address,
  OTEL_EXPORTER_OTLP_COMPRESSION: words('gzip', 'none'),
  OTEL_METRICS_EXPORTER: words('otlp', 'none'),
  OTEL_TRACES_EXPORTER: words('otlp', 'none'),
}

const retention = whole(1, 10_000)
const anything: JsonSchema = { type: ['string', 'number', 'boolean'] }

export const settingSchema = (name: string): JsonSchema => {
  const range = numbers[name]
  if (range !== undefined) return whole(...range)
  return /^RETENTION_.+_DAYS$/.test(name) ? retention : (others[name] ?? anything)
}

/** Those that are judged by more than that they are there; for tests. */
export const judgedSettings: readonly string[] = [...Object.keys(numbers), ...Object.keys(others)]
