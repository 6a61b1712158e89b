import t from 'tap'
import { agentVariables } from '../../agent/program/agent-variables.ts'
import { controlPlaneVariables } from '../../control-plane/read-config.ts'
import { misspeltVariables, namesOfVariables } from '../../protocol/misspelt-variables.ts'
import { fc } from '../support/fast-check.ts'

const programs = {
  'control plane': namesOfVariables(controlPlaneVariables),
  agent: namesOfVariables(agentVariables),
}
const all = [...new Set(Object.values(programs).flat())]
const problemsWith = (name: string, known: readonly string[], value = 'x') =>
  misspeltVariables({ [name]: value }, known)

/** As people get them wrong, and what they meant. */
const misspelt: Record<string, string> = {
  DATABASE_ULR: 'DATABASE_URL',
  DATABASEURL: 'DATABASE_URL',
  database_url: 'DATABASE_URL',
  'DATABASE-URL': 'DATABASE_URL',
  DATABASE_URI: 'DATABASE_URL',
  DATABSE_ULR: 'DATABASE_URL',
  BASE_URL_FILE: 'BASE_URL',
  ENCRYPTON_KEY_FILE: 'ENCRYPTION_KEY_FILE',
  ENCRYPTION_KEYS: 'ENCRYPTION_KEY',
  DATA_DRI: 'DATA_DIR',
  DATADIR: 'DATA_DIR',
  BASE_URI: 'BASE_URL',
  LOGLEVEL: 'LOG_LEVEL',
  SMPT_URL: 'SMTP_URL',
  BOOTSTRAP_KEY: 'BOOTSTRAP_API_KEY',
  RCA_URL: 'RCA_BASE_URL',
  TWILIO_TOKEN: 'TWILIO_AUTH_TOKEN',
  EGRESS_NETWORKS: 'EGRESS_ALLOWED_NETWORKS',
  CONTROLPLANE_URL: 'CONTROL_PLANE_URL',
  API_KYE: 'API_KEY',
  UPTIME_CONCURENCY: 'UPTIME_CONCURRENCY',
  AGENT_HELTH_PORT: 'AGENT_HEALTH_PORT',
  DNS_SERVER: 'DNS_SERVERS',
  BLOCKED_NETWORK: 'BLOCKED_NETWORKS',
  HTPPS_PROXY: 'HTTPS_PROXY',
  EXTRA_CA_CERT: 'EXTRA_CA_CERTS',
}
for (const [name, meant] of Object.entries(misspelt))
  t.test(`${name} is asked back as ${meant}`, async (t) => {
    t.strictSame(problemsWith(name, all), [`${name} is not known: did you mean ${meant}?`])
  })

/** What environments hold beside us. */
const foreign =
  `HOST PORT POST HOSTS PORTS HOSTNAME HOSTTYPE PATH HOME USER SHELL PWD OLDPWD LANG TERM TZ TMPDIR MAIL MAILTO LOGNAME LOGS_DIR
  EDITOR PAGER DISPLAY SSH_AUTH_SOCK SUDO_USER INIT_CWD XDG_DATA_DIRS XDG_DATA_HOME XDG_CONFIG_DIRS
  http_proxy https_proxy no_proxy ftp_proxy FTP_PROXY ALL_PROXY all_proxy RSYNC_PROXY WS_PROXY SOCKS_PROXY
  NODE_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_COMPILE_CACHE NODE_PATH NODE_VERSION YARN_VERSION UV_THREADPOOL_SIZE
  npm_config_registry npm_config_https_proxy npm_package_name npm_lifecycle_event npm_execpath NPM_TOKEN NPM_CONFIG_PROXY
  AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_PROFILE AZURE_CLIENT_ID GOOGLE_APPLICATION_CREDENTIALS
  OTEL_SERVICE_NAME OTEL_EXPORTER_OTLP_ENDPOINT OTEL_LOG_LEVEL OTEL_RESOURCE_ATTRIBUTES DD_AGENT_HOST DD_API_KEY DD_ENV SENTRY_DSN
  KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_SERVICE_PORT_HTTPS KUBERNETES_PORT KUBERNETES_PORT_443_TCP
  POD_NAME POD_IP POD_NAMESPACE CI GITHUB_TOKEN GITHUB_BASE_REF GITLAB_CI DOCKER_HOST COMPOSE_PROJECT_NAME COMPOSE_FILE
  PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB MYSQL_DATABASE REDIS_URL MONGO_URL
  DB_URL DB_HOST TEST_DATABASE_URL DATABASE_URL_2 DATABASE_URL2 SMTP_HOST SMTP_PORT SMTP_USER MAIL_HOST MAIL_PORT EMAIL_FROM SFTP_URL
  KAFKA_BOOTSTRAP_SERVERS BOOTSTRAP_SERVERS TWILIO_API_KEY TWILIO_PHONE_NUMBER SLACK_WEBHOOK_URL SLACK_TOKEN OPENAI_API_KEY
  OPENAI_BASE_URL APP_KEY APP_URL API_URL SECRET_KEY JWT_SECRET SESSION_SECRET LOG_FORMAT LOG_FILE LOG_DIR DEBUG VERBOSE
  WATCHPOST_API_KEY WATCHPOST_BASE_URL WATCHPOST_PORT WATCHPOST_SERVICE_HOST WATCHPOST_AGENT_HEALTH_PORT
  BLOCKED_HOSTS ALLOWED_HOSTS ALLOWED_ORIGINS DNS_SEARCH MALLOC_ARENA_MAX MALLOC_TRIM_THRESHOLD_ MALLOC_MMAP_THRESHOLD_ LD_LIBRARY_PATH SERVICE_SECRET_KEY`
    .split(/\s+/)
    .filter((name) => !all.includes(name))

for (const [program, known] of Object.entries(programs)) {
  t.test(`what is not ours never stops the ${program}`, async (t) => {
    const alsoKnown = [...known, 'http_proxy', 'https_proxy', 'no_proxy']
    t.strictSame(
      foreign.filter((name) => problemsWith(name, alsoKnown).length > 0),
      [],
    )
    t.strictSame(
      all.filter((name) => problemsWith(name, known).length > 0),
      [],
      'nor what is of the other program, which often shares its environment',
    )
  })

  t.test(`services of Kubernetes never stop the ${program}, whatever their names`, async () => {
    const service = fc.oneof(
      fc.constantFrom(...all, 'WATCHPOST', 'DATABASE_URLS', 'HTTP_PROX', 'LOG_LEVE'),
      fc.stringMatching(/^[A-Z][A-Z_]{0,20}[A-Z]$/),
    )
    fc.assert(
      fc.property(service, fc.integer({ min: 1, max: 65_535 }), (name, port) => {
        const links = {
          [`${name}_SERVICE_HOST`]: '10.0.0.1',
          [`${name}_SERVICE_PORT`]: `${port}`,
          [`${name}_SERVICE_PORT_HTTP`]: `${port}`,
          [`${name}_PORT`]: `tcp://10.0.0.1:${port}`,
          [`${name}_PORT_${port}_TCP`]: `tcp://10.0.0.1:${port}`,
          [`${name}_PORT_${port}_TCP_PROTO`]: 'tcp',
          [`${name}_PORT_${port}_TCP_ADDR`]: '10.0.0.1',
        }
        return misspeltVariables(links, known).length === 0
      }),
    )
  })

  t.test(
    `one mistake in any long name of the ${program} is found, and answered with one of ours`,
    async () => {
      const long = known.filter((name) => name.length >= 7)
      const mistaken = fc
        .record({
          name: fc.constantFrom(...long),
          kind: fc.constantFrom('left out', 'doubled', 'swapped', 'wrong'),
          share: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
          letter: fc.stringMatching(/^[A-Z]$/),
        })
        .map(({ name, kind, share, letter }) => {
          const at = Math.floor(share * (name.length - 1))
          const [before, one = '', two = '', after] = [
            name.slice(0, at),
            name[at],
            name[at + 1],
            name.slice(at + 2),
          ]
          if (kind === 'left out') return { name, wrong: before + two + after }
          if (kind === 'doubled') return { name, wrong: before + one + one + two + after }
          return {
            name,
            wrong: kind === 'swapped' ? before + two + one + after : before + letter + two + after,
          }
        })
        .filter(({ wrong }) => !all.includes(wrong) && wrong !== 'APP_KEY' && wrong !== 'SFTP_URL')
      fc.assert(
        fc.property(mistaken, ({ wrong }) => {
          const [problem = '', ...more] = problemsWith(wrong, known)
          const meant = /^(\S+) is not known: did you mean (\S+)\?$/.exec(problem)
          return meant?.[1] === wrong && known.includes(meant[2] ?? '') && more.length === 0
        }),
        { numRuns: 2000 },
      )
    },
  )
}

t.test('names that resemble none of ours are let through', async () => {
  const other = fc.stringMatching(/^(NODE|npm|AWS|OTEL|MY)_[A-Za-z_]{1,20}$/)
  fc.assert(fc.property(other, (name) => problemsWith(name, all).length === 0))
})

t.test('an empty variable counts as unset, and no value is shown', async (t) => {
  t.strictSame(problemsWith('DATABASE_ULR', all, ' '), [])
  t.notMatch(problemsWith('ENCRYPTION_KYE', all, 'c2VjcmV0').join(), 'c2VjcmV0')
})
