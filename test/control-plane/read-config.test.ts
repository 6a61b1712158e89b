import { resolve } from 'node:path'
import t from 'tap'
import { onPort } from '../../control-plane/platform/settings/config.ts'
import { ConfigError } from '../../control-plane/platform/settings/reading.ts'
import { controlPlaneVariables, readConfig } from '../../control-plane/read-config.ts'

const key = Buffer.alloc(32, 7).toString('base64')

t.test('defaults', async (t) => {
  const config = readConfig({})
  t.match(config, {
    port: 8080,
    host: '127.0.0.1',
    baseUrl: 'http://localhost:8080',
    dataDir: resolve('data'),
    databasePooler: null,
    databaseUrl: `sqlite:${resolve('data', 'watchpost.db')}`,
    artifactsDir: resolve('data', 'artifacts'),
    artifactsBucket: null,
    traceViewerDir: null,
    artifactAllowances: { account: 20 * 1024 ** 3, location: 10 * 1024 ** 3 },
    standingOrders: { holdMs: 86_400_000, secondOwnerAfterMs: 15_000 },
    encryptionKeys: null,
    bootstrap: { accountId: null, apiKey: null, agentKey: null },
    logLevel: 'info',
    strictResponses: false,
  })
  t.ok(Object.isFrozen(config))
})

t.test('every variable is read', async (t) => {
  const env = {
    PORT: '9000',
    HOST: '0.0.0.0',
    BASE_URL: 'https://watch.example.com/',
    DATA_DIR: '/var/lib/watchpost',
    DATABASE_URL: 'postgres://user@db/watchpost',
    DATABASE_POOLER: 'transaction',
    DATABASE_READ_URL: 'postgres://user@replica/watchpost',
    DATABASE_READ_MAX_LAG_SECONDS: '5',
    ARTIFACTS_URL: 'file:/srv/artifacts',
    AWS_ENDPOINT_URL: 'http://127.0.0.1:9000',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'access',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
    ARTIFACTS_ACCOUNT_MAX_GB: '3',
    ARTIFACTS_LOCATION_MAX_GB: '0.5',
    STANDING_ORDERS_HOURS: '12',
    STANDING_ORDERS_SECOND_OWNER_SECONDS: '0',
    STANDING_ORDERS_GRACE: '60',
    WATCHDOG_URL: 'https://b.example.com/ping',
    RETENTION_RESULTS_DAYS: '1',
    RETENTION_DETAILS_DAYS: '2',
    RETENTION_MISSED_RUNS_DAYS: '3',
    RETENTION_SESSIONS_DAYS: '4',
    RETENTION_ALERTS_DAYS: '5',
    RETENTION_NOTIFICATIONS_DAYS: '6',
    RETENTION_ANALYSES_DAYS: '7',
    RETENTION_ERROR_GROUPS_DAYS: '8',
    RETENTION_AGENT_ERRORS_DAYS: '9',
    RETENTION_AGENTS_DAYS: '10',
    RETENTION_ROLLUPS_DAYS: '400',
    RETENTION_AUDIT_DAYS: '90',
    RETENTION_MAILS_DAYS: '10000',
    STORE_MAX_GB: '2.5',
    TRACE_VIEWER_DIR: '/srv/trace-viewer',
    ENCRYPTION_KEY: `${key}, ${key}`,
    BOOTSTRAP_ACCOUNT_ID: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11',
    BOOTSTRAP_API_KEY: 'a-key-of-more-than-20-characters',
    BOOTSTRAP_AGENT_KEY: `pl_${'a'.repeat(32)}`,
    EGRESS_ALLOWED_NETWORKS: '10.0.0.0/8',
    HTTP_PROXY: 'http://ada:word@proxy.example:3128',
    HTTPS_PROXY: 'https://proxy.example:3129',
    NO_PROXY: '.inside.example, 10.0.0.0/8',
    TRUSTED_PROXIES: 'loopback, 192.0.2.0/24 Private',
    OIDC_ISSUER: 'https://id.example.com',
    OIDC_CLIENT_ID: 'watchpost',
    OIDC_CLIENT_SECRET: 'client-secret',
    OIDC_NAME: 'Example',
    OIDC_SCOPES: 'openid email groups',
    OIDC_GROUPS_CLAIM: 'groups',
    OIDC_ROLE_MAPPING: 'sre=ADMIN',
    RCA_BASE_URL: 'https://models.example.com/v1',
    RCA_API_KEY: 'key',
    RCA_MODEL: 'model',
    API_REQUESTS_PER_MINUTE: '1200',
    LOCATION_ADDRESSES: 'eu-west-1=192.0.2.1',
    SMTP_URL: 'smtp://ada:secret@mail.example.com:587',
    MAIL_FROM: 'Watchpost <alerts@example.com>',
    TWILIO_ACCOUNT_SID: 'AC1',
    TWILIO_AUTH_TOKEN: 'token',
    TWILIO_FROM: '+14155550100',
    TWILIO_BASE_URL: 'https://gateway.example.com/',
    SLACK_APP_TOKEN: 'xoxb-1',
    SLACK_APP_SIGNING_SECRET: 'signing-1',
    SLACK_BASE_URL: 'https://slack.example.com/api',
    PAGERDUTY_BASE_URL: 'https://pager.example.com',
    OPSGENIE_BASE_URL: 'https://ops.example.com',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://metrics.example.com/otlp',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: '',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=x',
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'tenant=a',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'tenant=b',
    OTEL_EXPORTER_OTLP_TIMEOUT: '5000',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'Delta',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_SERVICE_NAME: 'probes',
    OTEL_RESOURCE_ATTRIBUTES: 'a=b',
    OTEL_METRIC_EXPORT_INTERVAL: '30000',
    OTEL_BSP_SCHEDULE_DELAY: '1000',
    OTEL_BSP_MAX_QUEUE_SIZE: '100',
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_SDK_DISABLED: 'false',
    LOG_LEVEL: 'DEBUG',
    BUILD_REVISION: '4f0c1d2',
  }
  t.strictSame(Object.keys(env).sort(), controlPlaneVariables.map(({ name }) => name).sort())
  const config = readConfig(env)
  t.match(config, {
    providers: {
      mail: { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM },
      telephone: { accountSid: 'AC1', from: '+14155550100', baseUrl: 'https://gateway.example.com' },
      slackAppToken: 'xoxb-1',
      slackSigningSecret: 'signing-1',
      pagerdutyBaseUrl: 'https://pager.example.com',
      opsgenieBaseUrl: 'https://ops.example.com',
    },
    port: 9000,
    host: '0.0.0.0',
    baseUrl: 'https://watch.example.com',
    dataDir: '/var/lib/watchpost',
    databasePooler: 'transaction',
    databaseRead: { url: 'postgres://user@replica/watchpost', maxLagMs: 5000 },
    databaseUrl: 'postgres://user@db/watchpost',
    artifactsDir: '/srv/artifacts',
    artifactsBucket: null,
    traceViewerDir: '/srv/trace-viewer',
    artifactAllowances: { account: 3 * 1024 ** 3, location: 512 * 1024 ** 2 },
    standingOrders: { holdMs: 43_200_000, secondOwnerAfterMs: null },
    retention: {
      results: 86_400_000,
      details: 2 * 86_400_000,
      missedRuns: 3 * 86_400_000,
      sessions: 4 * 86_400_000,
      alerts: 5 * 86_400_000,
      notifications: 6 * 86_400_000,
      analyses: 7 * 86_400_000,
      errorGroups: 8 * 86_400_000,
      agentErrors: 9 * 86_400_000,
      agents: 10 * 86_400_000,
      mails: 10_000 * 86_400_000,
      rollups: 400 * 86_400_000,
      audit: 90 * 86_400_000,
    },
    storeMaxBytes: 2.5 * 1024 ** 3,
    bootstrap: {
      accountId: env.BOOTSTRAP_ACCOUNT_ID,
      apiKey: env.BOOTSTRAP_API_KEY,
      agentKey: env.BOOTSTRAP_AGENT_KEY,
    },
    egressAllowedNetworks: ['10.0.0.0/8'],
    proxies: {
      http: 'http://ada:word@proxy.example:3128',
      https: 'https://proxy.example:3129',
      none: '.inside.example, 10.0.0.0/8',
    },
    trustedProxies: [
      ...['127.0.0.0/8', '::1', '192.0.2.0/24'],
      ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
    ],
    analyst: { baseUrl: 'https://models.example.com/v1', apiKey: 'key', model: 'model' },
    oidc: {
      issuer: 'https://id.example.com',
      clientId: 'watchpost',
      clientSecret: 'client-secret',
      scopes: 'openid email groups',
      groupsClaim: 'groups',
      name: 'Example',
    },
    otlp: {
      metricsUrl: 'https://metrics.example.com/otlp',
      tracesUrl: 'http://collector:4318/v1/traces',
      metricsEveryMs: 30_000,
      spansEveryMs: 1000,
      maxSpans: 100,
    },
    logLevel: 'debug',
    buildRevision: '4f0c1d2',
  })
  t.equal(config.encryptionKeys?.length, 2)
})

t.test('one error lists every problem and shows no secret', async (t) => {
  const read = () =>
    readConfig({
      PORT: '99999',
      BASE_URL: 'example.com',
      DATABASE_URL: 'mysql://x',
      ENCRYPTION_KEY: 'c2VjcmV0',
      BOOTSTRAP_ACCOUNT_ID: '1',
      BOOTSTRAP_API_KEY: 'short-secret',
      BOOTSTRAP_AGENT_KEY: 'pl_short-secret',
      LOG_LEVEL: 'loud',
      RETENTION_RESULTS_DAYS: '0',
      STORE_MAX_GB: '0.001',
    })
  const error: unknown = (() => {
    try {
      return read()
    } catch (thrown) {
      return thrown
    }
  })()
  t.ok(error instanceof ConfigError)
  if (!(error instanceof ConfigError)) return
  t.strictSame(error.problems.map((problem) => problem.split(' ')[0]).sort(), [
    'BASE_URL',
    'BOOTSTRAP_ACCOUNT_ID',
    'BOOTSTRAP_AGENT_KEY',
    'BOOTSTRAP_API_KEY',
    'DATABASE_URL',
    'ENCRYPTION_KEY',
    'LOG_LEVEL',
    'PORT',
    'RETENTION_RESULTS_DAYS',
    'STORE_MAX_GB',
  ])
  t.notMatch(error.message, /c2VjcmV0|short-secret/)
})

t.test('a variable that is misspelt is a problem beside the others', async (t) => {
  const read = () => readConfig({ DATABASE_ULR: 'postgres://user:secret@db/x', PORT: 'x', HOSTNAME: 'box' })
  const problems = ['PORT must be a port number', 'DATABASE_ULR is not known: did you mean DATABASE_URL?']
  t.throws(read, new ConfigError(problems))
})

t.test('an empty variable counts as unset', async (t) => {
  t.equal(readConfig({ PORT: '', LOG_LEVEL: ' ' }).port, 8080)
})

t.test('PORT 0 is any port; the base URL follows unless it was given', async (t) => {
  t.equal(onPort(readConfig({ PORT: '0' }), 1234).baseUrl, 'http://localhost:1234')
  t.equal(onPort(readConfig({ PORT: '0', BASE_URL: 'http://x' }), 1234).baseUrl, 'http://x')
})

t.test(
  'artifacts are in a folder or a bucket: what else the address says is refused at the start',
  async (t) => {
    const folder = (url: string) => readConfig({ ARTIFACTS_URL: url }).artifactsDir
    t.equal(folder('file:///srv/files'), '/srv/files')
    t.equal(folder('file:files'), resolve('files'))
    t.throws(() => folder('/srv/files'), {
      message: /ARTIFACTS_URL must be file:<folder> or s3:\/\/<bucket>\/<prefix>/,
    })
    t.match(readConfig({ ARTIFACTS_URL: 's3://files', AWS_REGION: 'eu-central-1' }).artifactsBucket, {
      bucket: 'files',
    })
  },
)

t.test('proxies are understood in lower case, and what is none is named without its value', async (t) => {
  const lower = { http_proxy: 'http://a.example', https_proxy: 'http://b.example', no_proxy: '*' }
  t.strictSame(readConfig(lower).proxies, { http: 'http://a.example', https: 'http://b.example', none: '*' })
  t.strictSame(readConfig({}).proxies, { http: null, https: null, none: null })
  const wrong = () =>
    readConfig({ HTTP_PROXY: 'ada:word@proxy:3128', https_proxy: 'socks5://ada:word@proxy' })
  t.throws(wrong, { message: /HTTP_PROXY must be an http or https address\n +https_proxy must be an http/ })
  t.throws(() => readConfig({ ...lower, HTTP_PROXY_FILE: '/nowhere' }), {
    message:
      /HTTP_PROXY_FILE: \/nowhere is not there.*\n +http_proxy and HTTP_PROXY_FILE are both set: use one/,
  })
})

t.test('what a provider lacks is named, and no value is', async (t) => {
  const problems = (env: Record<string, string>) => {
    try {
      readConfig(env)
      return []
    } catch (error) {
      return (error as ConfigError).problems
    }
  }
  t.strictSame(problems({ SMTP_URL: 'smtp://mail.example.com' }), ['MAIL_FROM: required with SMTP_URL'])
  t.match(problems({ TWILIO_ACCOUNT_SID: 'AC1' }), [
    'TWILIO_AUTH_TOKEN, TWILIO_FROM: required with TWILIO_ACCOUNT_SID',
  ])
  t.match(problems({ SMTP_URL: 'http://x', MAIL_FROM: 'a@b.c' }), [/^SMTP_URL must be smtp/])
  t.notMatch(problems({ SMTP_URL: 'mail:secret@x', MAIL_FROM: 'a@b.c' }).join(), 'secret')
})
