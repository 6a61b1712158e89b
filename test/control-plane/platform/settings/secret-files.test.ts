/** Every secret of the control plane may stand in a file, by the same rules. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ConfigError } from '../../../../control-plane/platform/settings/reading.ts'
import { controlPlaneVariables, readConfig } from '../../../../control-plane/read-config.ts'
import { temporaryFolder } from '../../../support/test-agent.ts'

const folder = temporaryFolder(t)
const fileOf = (name: string, content: string, mode = 0o600): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}

const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

const key = Buffer.alloc(32, 7).toString('base64')
const agentKey = `pl_${'a'.repeat(32)}`
/** A value for each, and what the settings beside it have to be. */
const secrets: Record<string, string> = {
  DATABASE_URL: 'postgres://ada:word@db.example/watchpost',
  DATABASE_READ_URL: 'postgres://ada:word@replica.example/watchpost',
  AWS_SECRET_ACCESS_KEY: 'of the bucket',
  AWS_SESSION_TOKEN: 'a token',
  ENCRYPTION_KEY: `${key},${key}`,
  BOOTSTRAP_API_KEY: 'a-key-of-more-than-20-characters',
  BOOTSTRAP_AGENT_KEY: agentKey,
  WATCHDOG_URL: 'https://b.example/ping',
  SMTP_URL: 'smtp://ada:word@mail.example',
  RCA_API_KEY: 'of the model',
  TWILIO_AUTH_TOKEN: 'of the gateway',
  SLACK_APP_TOKEN: 'xoxb-1',
  SLACK_APP_SIGNING_SECRET: 'signing-1',
  OTEL_EXPORTER_OTLP_HEADERS: 'api-key=x',
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'tenant=a',
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'tenant=b',
  OIDC_CLIENT_SECRET: 'of the client',
  HTTP_PROXY: 'http://ada:word@proxy.example:3128',
  HTTPS_PROXY: 'http://ada:word@proxy.example:3129',
}
const beside = {
  ARTIFACTS_URL: 's3://files',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'access',
  MAIL_FROM: 'a@b.example',
  RCA_BASE_URL: 'https://model.example/v1',
  RCA_MODEL: 'm',
  TWILIO_ACCOUNT_SID: 'AC1',
  TWILIO_FROM: '+14155550100',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
  OIDC_ISSUER: 'https://id.example',
  OIDC_CLIENT_ID: 'watchpost',
  OIDC_ROLE_MAPPING: '*=READ_ONLY',
}

t.test('all of them, with a line break at the end or without', async (t) => {
  const names = controlPlaneVariables.flatMap(({ name, secret }) => (secret ? [name] : []))
  t.strictSame(names.toSorted(), Object.keys(secrets).toSorted())
  const files = Object.entries(secrets).map(
    ([name, value], index) => [`${name}_FILE`, fileOf(name, index % 2 ? value : `${value}\r\n`)] as const,
  )
  const byFile = readConfig({ ...beside, ...Object.fromEntries(files) })
  t.strictSame(byFile, readConfig({ ...beside, ...secrets }))
  t.strictSame(byFile.otlp?.headers, {
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=x',
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'tenant=a',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'tenant=b',
  })
  t.strictSame(byFile.warnings, [])
})

t.test('what sounds like a secret is one', async (t) => {
  const sounds = /_(KEY|TOKEN|SECRET|PASSWORD|HEADERS)$/
  for (const { name, secret } of controlPlaneVariables) if (sounds.test(name)) t.ok(secret, name)
})

t.test('both, and files that are no use, are refused by path and with what to do', async (t) => {
  const empty = fileOf('empty', ' \n')
  const large = fileOf('large', 'x'.repeat(70_000))
  const missing = join(folder, 'nobody', 'file')
  mkdirSync(join(folder, 'folder'))
  t.strictSame(
    problemsOf({
      ENCRYPTION_KEY: key,
      ENCRYPTION_KEY_FILE: fileOf('key', key),
      DATABASE_URL_FILE: missing,
      SLACK_APP_TOKEN_FILE: empty,
      OIDC_CLIENT_SECRET_FILE: join(folder, 'folder'),
      BOOTSTRAP_AGENT_KEY_FILE: large,
      BASE_URL_FILE: fileOf('address', 'http://x'),
    }),
    [
      `DATABASE_URL_FILE: ${missing} is not there: mount it, or write the value into that file`,
      'ENCRYPTION_KEY and ENCRYPTION_KEY_FILE are both set: use one',
      `BOOTSTRAP_AGENT_KEY_FILE: ${large} holds more than 64 KB: that is no secret`,
      `SLACK_APP_TOKEN_FILE: ${empty} is empty: write the value into it`,
      `OIDC_CLIENT_SECRET_FILE: ${join(folder, 'folder')} is a folder: name the file in it`,
      'BASE_URL_FILE is not known: did you mean BASE_URL?',
    ],
  )
})

t.test('what is wrong with the value is said by the name of the setting, without it', async (t) => {
  const [problem = '', ...more] = problemsOf({ BOOTSTRAP_AGENT_KEY_FILE: fileOf('short', 'pl_short-secret') })
  t.match(problem, /^BOOTSTRAP_AGENT_KEY must be /)
  t.notMatch(problem, 'short-secret')
  t.strictSame(more, [])
})

t.test(
  'a file that everybody can read is a warning, through links too, and empty variables are unset',
  async (t) => {
    const path = fileOf('open', key, 0o644)
    const link = join(folder, 'link')
    symlinkSync(path, link)
    const { warnings, encryptionKeys } = readConfig({ ENCRYPTION_KEY_FILE: link, DATABASE_URL_FILE: ' ' })
    t.equal(encryptionKeys?.length, 1)
    t.strictSame(warnings, [
      `ENCRYPTION_KEY_FILE: every user of this machine can read ${link}; chmod o-rwx takes that away`,
    ])
    t.strictSame(readConfig({ ENCRYPTION_KEY_FILE: fileOf('group', key, 0o640) }).warnings, [])
  },
)
