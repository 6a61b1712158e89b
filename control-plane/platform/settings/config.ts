/** The control plane's configuration: environment in, frozen value out, or one error that lists every problem. */
import { join, resolve } from 'node:path'
import { misspeltVariables } from '../../../protocol/misspelt-variables.ts'
import { parseNetwork } from '../../../protocol/networks/network-list.ts'
import { type Retention, readRetention, retentionVariables } from '../retention/settings.ts'
import { type BucketSettings, bucketVariables, readBucket } from '../store/artifact-store/bucket-settings.ts'
import { type AnalystSettings, readAnalyst } from './analyst-settings.ts'
import { type OidcSettings, oidcVariables, readOidc } from './oidc-settings.ts'
import { type OtlpSettings, otlpVariables, readOtlp } from './otlp-settings.ts'
import { type Providers, providerVariables, readProviders } from './providers.ts'
import { listedIn, readProxies } from './trusted-proxies.ts'

export type Config = {
  /** 0 asks for any free port. */
  port: number
  host: string
  /** Without a trailing slash. */
  baseUrl: string
  dataDir: string
  /** `sqlite:<file>` or `postgres://…` */
  databaseUrl: string
  /** The folder that ARTIFACTS_URL names, if it names one. */
  artifactsDir: string
  /** Null: artifacts are in the folder. */
  artifactsBucket: BucketSettings | null
  artifactAllowances: ArtifactAllowances
  retention: Retention
  /** Bytes that the rows of the store may take; null: as many as there is room for. */
  storeMaxBytes: number | null
  /** Of Playwright's trace viewer; null: the newest installed runtime's. */
  traceViewerDir: string | null
  /** The first encrypts, all decrypt; null: generated into the data folder. */
  encryptionKeys: readonly Buffer[] | null
  bootstrap: { accountId: string | null; apiKey: string | null; agentKey: string | null }
  /** Networks (CIDR) outside of the internet that requests of the control plane itself may reach. */
  egressAllowedNetworks: readonly string[]
  /** Networks (CIDR) of the proxies whose word on where a request came from counts. */
  trustedProxies: readonly string[]
  /** The OpenAI-compatible endpoint that analyses errors; null: the built-in rules do. */
  analyst: AnalystSettings | null
  /** Where results are exported to; null: nowhere. */
  otlp: OtlpSettings | null
  /** Who says who people are, beside passwords and passkeys; null: nobody. */
  oidc: OidcSettings | null
  /** Who delivers mails, messages and calls. */
  providers: Providers
  logLevel: string
  /** Of the sources that an image was built from. */
  buildRevision: string | null
  /** An answer that breaks its own schema is an error instead of a log line. */
  strictResponses: boolean
}

/** Bytes of files that one account and one location may have in the store. */
export type ArtifactAllowances = { account: number; location: number }

export type Variable = { name: string; default: string; meaning: string }

/** What `--help` is printed from, and docs/deploy/environment.md is written from. */
export const controlPlaneVariables: readonly Variable[] = [
  { name: 'PORT', default: '8080', meaning: 'port of the API' },
  { name: 'HOST', default: '127.0.0.1', meaning: 'address to listen on (0.0.0.0 in images)' },
  {
    name: 'BASE_URL',
    default: 'http://localhost:PORT',
    meaning: 'address of the API as others see it, used in links',
  },
  {
    name: 'DATA_DIR',
    default: './data',
    meaning: 'folder of the embedded database and generated keys (files 0600)',
  },
  {
    name: 'DATABASE_URL',
    default: 'sqlite:DATA_DIR/watchpost.db',
    meaning: 'sqlite:/path/to/file or postgres://user:password@host/database',
  },
  {
    name: 'ARTIFACTS_URL',
    default: 'file:DATA_DIR/artifacts',
    meaning:
      'where the files of results are, for all control planes of a database: file:/path/to/folder, or s3://bucket/prefix (docs/artifacts.md)',
  },
  ...bucketVariables,
  {
    name: 'ARTIFACTS_ACCOUNT_MAX_GB',
    default: '20',
    meaning:
      'most that the files of results and the code bundles of one account take; what comes then is refused until older ones go',
  },
  {
    name: 'ARTIFACTS_LOCATION_MAX_GB',
    default: '10',
    meaning: 'the same for the files that the agents of one location upload',
  },
  ...retentionVariables,
  {
    name: 'TRACE_VIEWER_DIR',
    default: "the newest installed runtime's",
    meaning:
      "folder of Playwright's trace viewer (playwright-core/lib/vite/traceViewer), for pages of results",
  },
  {
    name: 'ENCRYPTION_KEY',
    default: 'generated into DATA_DIR',
    meaning: 'base64 of 32 bytes; a comma separated list rotates: the first encrypts, all decrypt',
  },
  {
    name: 'BOOTSTRAP_ACCOUNT_ID',
    default: 'generated into DATA_DIR',
    meaning: 'id of the first account (a UUID)',
  },
  {
    name: 'BOOTSTRAP_API_KEY',
    default: 'generated into DATA_DIR',
    meaning: "API key of the first account's owner (20 to 200 characters)",
  },
  {
    name: 'BOOTSTRAP_AGENT_KEY',
    default: 'generated into DATA_DIR',
    meaning: 'key of the agents of the private location "local" (pl_ and 32 hex digits)',
  },
  {
    name: 'EGRESS_ALLOWED_NETWORKS',
    default: 'none',
    meaning:
      'CIDR list: private, loopback and link-local networks that webhooks and other own requests may reach',
  },
  {
    name: 'TRUSTED_PROXIES',
    default: 'none',
    meaning:
      'proxies in front: CIDR list (or loopback, private) of those whose Forwarded or X-Forwarded-For counts',
  },
  {
    name: 'RCA_BASE_URL',
    default: 'unset: built-in rules',
    meaning: 'OpenAI-compatible endpoint for root cause analyses, for example https://host/v1',
  },
  { name: 'RCA_API_KEY', default: 'unset', meaning: 'bearer key of that endpoint' },
  { name: 'RCA_MODEL', default: 'unset', meaning: 'model to ask for there; required with RCA_BASE_URL' },
  ...providerVariables,
  ...otlpVariables,
  ...oidcVariables,
  {
    name: 'LOG_LEVEL',
    default: 'info',
    meaning: 'fatal, error, warn, info, debug, trace or silent',
  },
  {
    name: 'BUILD_REVISION',
    default: 'unset',
    meaning: 'revision of the sources, for the metric watchpost_build_info; images set it',
  },
]

export class ConfigError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`The configuration has problems:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const gigabytes = /^\d{1,6}(\.\d{1,3})?$/
const bytesOf = (gigabytes: string): number => Math.floor(Number(gigabytes) * 1024 ** 3)

/** @throws ConfigError */
export const readConfig = (env: Readonly<Record<string, string | undefined>>): Config => {
  const problems: string[] = []
  /** An empty variable counts as unset: that is how Compose files and shells leave one out. */
  const text = (name: string): string | null => env[name]?.trim() || null
  const matching = (name: string, pattern: RegExp, wanted: string): string | null => {
    const value = text(name)
    if (value !== null && !pattern.test(value)) problems.push(`${name} must be ${wanted}`)
    return value
  }

  const port = Number(matching('PORT', /^\d{1,5}$/, 'a port number') ?? 8080)
  if (port > 65_535) problems.push('PORT must be at most 65535')
  const baseUrl = matching('BASE_URL', /^https?:\/\/[^\s/]+/, 'an http or https address')
  const dataDir = resolve(text('DATA_DIR') ?? 'data')
  const databaseUrl = matching(
    'DATABASE_URL',
    /^(sqlite:.|postgres(ql)?:\/\/.)/,
    'sqlite:<file> or postgres://…',
  )
  const logLevel = text('LOG_LEVEL')?.toLowerCase() ?? 'info'
  if (!logLevels.includes(logLevel)) problems.push(`LOG_LEVEL must be one of ${logLevels.join(', ')}`)
  const encryptionKeys = text('ENCRYPTION_KEY')
  const config: Config = {
    port,
    host: text('HOST') ?? '127.0.0.1',
    baseUrl: baseUrl?.replace(/\/+$/, '') ?? localhost(port),
    dataDir,
    databaseUrl: databaseUrl ?? `sqlite:${join(dataDir, 'watchpost.db')}`,
    artifactsDir: readFolder(text('ARTIFACTS_URL'), problems) ?? join(dataDir, 'artifacts'),
    artifactsBucket: readBucket(text, problems),
    artifactAllowances: readAllowances(matching),
    retention: readRetention({ matching }),
    storeMaxBytes: readStoreMax(matching('STORE_MAX_GB', gigabytes, 'a number of gigabytes'), problems),
    traceViewerDir: text('TRACE_VIEWER_DIR'),
    encryptionKeys: encryptionKeys === null ? null : readKeys(encryptionKeys, problems),
    bootstrap: readBootstrap(matching),
    egressAllowedNetworks: readNetworks('EGRESS_ALLOWED_NETWORKS', text('EGRESS_ALLOWED_NETWORKS'), problems),
    trustedProxies: readProxies(text('TRUSTED_PROXIES'), problems),
    analyst: readAnalyst(
      {
        baseUrl: matching('RCA_BASE_URL', /^https?:\/\/[^\s/]+/, 'an http or https address'),
        apiKey: text('RCA_API_KEY'),
        model: text('RCA_MODEL'),
      },
      problems,
    ),
    ...readServices({ text, matching, problems }),
    logLevel,
    buildRevision: matching('BUILD_REVISION', /^[\w.+-]{1,64}$/, 'up to 64 letters, digits and . _ + -'),
    strictResponses: false,
  }
  const known = controlPlaneVariables.map(({ name }) => name)
  problems.push(...misspeltVariables(env, known))
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(config)
}

type Reader = Parameters<typeof readOtlp>[0] &
  Parameters<typeof readOidc>[0] &
  Parameters<typeof readProviders>[0]

/** Those of others that the control plane speaks with. */
const readServices = (reader: Reader): Pick<Config, 'otlp' | 'oidc' | 'providers'> => ({
  otlp: readOtlp(reader),
  oidc: readOidc(reader),
  providers: readProviders(reader),
})

/** The configuration once the port is known: what PORT 0 meant, and BASE_URL if it follows from it. */
export const onPort = (config: Config, port: number): Config =>
  Object.freeze({
    ...config,
    port,
    baseUrl: config.baseUrl === localhost(config.port) ? localhost(port) : config.baseUrl,
  })

const localhost = (port: number): string => `http://localhost:${port}`

/** An empty store and its settings have room in it. */
const leastStoreGb = 0.01

const readStoreMax = (value: string | null, problems: string[]): number | null => {
  if (value !== null && Number(value) < leastStoreGb)
    problems.push(`STORE_MAX_GB must be at least ${leastStoreGb}`)
  return value === null ? null : bytesOf(value)
}

type Matching = (name: string, pattern: RegExp, wanted: string) => string | null

const readBootstrap = (matching: Matching): Config['bootstrap'] =>
  Object.freeze({
    accountId: matching('BOOTSTRAP_ACCOUNT_ID', uuid, 'a UUID in lower case'),
    apiKey: matching('BOOTSTRAP_API_KEY', /^[\x21-\x7e]{20,200}$/, '20 to 200 visible characters'),
    agentKey: matching('BOOTSTRAP_AGENT_KEY', /^pl_[0-9a-f]{32}$/, 'pl_ and 32 hex digits in lower case'),
  })

const readAllowances = (matching: Matching): ArtifactAllowances =>
  Object.freeze({
    account: bytesOf(matching('ARTIFACTS_ACCOUNT_MAX_GB', gigabytes, 'a number of gigabytes') ?? '20'),
    location: bytesOf(matching('ARTIFACTS_LOCATION_MAX_GB', gigabytes, 'a number of gigabytes') ?? '10'),
  })

const readFolder = (url: string | null, problems: string[]): string | null => {
  if (url === null || /^s3:\/\//i.test(url)) return null
  if (!/^file:./i.test(url)) problems.push('ARTIFACTS_URL must be file:<folder> or s3://<bucket>/<prefix>')
  return resolve(url.replace(/^file:(\/\/(?=\/))?/i, ''))
}

/** Problems never show the value: it may be a mistyped secret. */
const readKeys = (list: string, problems: string[]): Buffer[] =>
  list.split(',').map((item, position) => {
    const key = Buffer.from(item.trim(), 'base64')
    if (key.length !== 32) problems.push(`ENCRYPTION_KEY must be base64 of 32 bytes (entry ${position + 1})`)
    return key
  })

const readNetworks = (name: string, list: string | null, problems: string[]): readonly string[] => {
  const networks = listedIn(list)
  for (const network of networks)
    if (parseNetwork(network) === null) problems.push(`${name}: ${network} is not a network (CIDR)`)
  return Object.freeze(networks)
}
