/** The settings that the platform reads; areas read their own, and control-plane/read-config.ts puts them together. */
import { join, resolve } from 'node:path'
import { parseNetwork } from '../../../protocol/networks/network-list.ts'
import type { ProxySettings } from '../../../protocol/networks/proxy.ts'
import manifest from '../../package.json' with { type: 'json' }
import { type BucketSettings, bucketVariables, readBucket } from '../store/artifact-store/bucket-settings.ts'
import { type PoolerMode, poolerModes } from '../store/database/pooler.ts'
import { mustTakeWrites, serverAddressError } from '../store/database/server-addresses.ts'
import { type MailSettings, mailVariables, readMail } from './mail-settings.ts'
import { proxyVariables, readProxySettings } from './proxy-settings.ts'
import { type Reader, readGigabytes, type Variable } from './reading.ts'
import { listedIn, readProxies } from './trusted-proxies.ts'

/** Of this release. */
export const controlPlaneVersion: string = manifest.version

export type Config = {
  /** 0 asks for any free port. */
  port: number
  host: string
  /** Without a trailing slash. */
  baseUrl: string
  dataDir: string
  /** `sqlite:<file>` or `postgres://…` */
  databaseUrl: string
  /** In front of PostgreSQL; null: found out. */
  databasePooler: PoolerMode | null
  /** A replica that answers reads which may be so far behind; null: none. */
  databaseRead: { url: string; maxLagMs: number } | null
  /** The folder that ARTIFACTS_URL names, if it names one. */
  artifactsDir: string
  /** Null: artifacts are in the folder. */
  artifactsBucket: BucketSettings | null
  /** Bytes that the rows of the store may take; null: as many as there is room for. */
  storeMaxBytes: number | null
  /** The first encrypts, all decrypt; null: generated into the data folder. */
  encryptionKeys: readonly Buffer[] | null
  /** Networks (CIDR) outside of the internet that requests of the control plane itself may reach. */
  egressAllowedNetworks: readonly string[]
  /** By which requests of the control plane itself leave. */
  proxies: ProxySettings
  /** Networks (CIDR) of the proxies whose word on where a request came from counts. */
  trustedProxies: readonly string[]
  /** Of one key of the API, on routes without a limit of their own. */
  apiRequestsPerMinute: number
  /** null: mails cannot be sent. */
  mail: MailSettings | null
  logLevel: string
  /** Of the sources that an image was built from. */
  buildRevision: string | null
  /** An answer that breaks its own schema is an error instead of a log line. */
  strictResponses: boolean
  /** Of settings: what should be otherwise, and works. */
  warnings: readonly string[]
}

export const platformVariables: readonly Variable[] = [
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
    secret: true,
    default: 'sqlite:DATA_DIR/watchpost.db',
    meaning:
      'sqlite:/path/to/file or postgres://user:password@host/database; several hosts with commas between them: the one that takes writes (docs/deploy/postgresql.md)',
  },
  {
    name: 'DATABASE_POOLER',
    default: 'found out',
    meaning:
      'what is in front of PostgreSQL: `transaction`, a pooler in transaction mode; `session`, one in session mode, or nothing',
  },
  {
    name: 'DATABASE_READ_URL',
    secret: true,
    default: 'none',
    meaning:
      'postgres://… of a replica of the same database: analytics, lists, pages and the exporter are read there (docs/scaling.md)',
  },
  {
    name: 'DATABASE_READ_MAX_LAG_SECONDS',
    default: '30',
    meaning: 'how far that replica may be behind: beyond it the primary answers everything',
  },
  {
    name: 'ARTIFACTS_URL',
    default: 'file:DATA_DIR/artifacts',
    meaning:
      'where the files of results are, for all control planes of a database: file:/path/to/folder, or s3://bucket/prefix (docs/artifacts.md)',
  },
  ...bucketVariables,
  {
    name: 'STORE_MAX_GB',
    default: 'none',
    meaning: 'most that the rows of the store take: beyond it the oldest go before their time',
  },
  {
    name: 'ENCRYPTION_KEY',
    secret: true,
    default: 'generated into DATA_DIR',
    meaning: 'base64 of 32 bytes; a comma separated list rotates: the first encrypts, all decrypt',
  },
  {
    name: 'EGRESS_ALLOWED_NETWORKS',
    default: 'none',
    meaning:
      'CIDR list: private, loopback and link-local networks that webhooks and other own requests may reach',
  },
  ...proxyVariables,
  {
    name: 'TRUSTED_PROXIES',
    default: 'none',
    meaning:
      'proxies in front: CIDR list (or loopback, private) of those whose Forwarded or X-Forwarded-For counts',
  },
  {
    name: 'API_REQUESTS_PER_MINUTE',
    default: '600',
    meaning:
      'requests of one API key a minute, on routes without a limit of their own; beyond it they are refused (429)',
  },
  ...mailVariables,
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

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

export const readPlatform = (reader: Reader): Config => {
  const { text, matching, problems } = reader
  const port = Number(matching('PORT', /^\d{1,5}$/, 'a port number') ?? 8080)
  if (port > 65_535) problems.push('PORT must be at most 65535')
  const baseUrl = matching('BASE_URL', /^https?:\/\/[^\s/]+/, 'an http or https address')
  const dataDir = resolve(text('DATA_DIR') ?? 'data')
  const databaseUrl = matching(
    'DATABASE_URL',
    /^(sqlite:.|postgres(ql)?:\/\/.)/,
    'sqlite:<file> or postgres://…',
  )
  problems.push(
    ...[serverAddressError('DATABASE_URL', databaseUrl ?? '')].filter((problem) => problem !== null),
  )
  const pooler = matching('DATABASE_POOLER', /^(transaction|session)$/, 'transaction or session')
  const logLevel = text('LOG_LEVEL')?.toLowerCase() ?? 'info'
  if (!logLevels.includes(logLevel)) problems.push(`LOG_LEVEL must be one of ${logLevels.join(', ')}`)
  const encryptionKeys = text('ENCRYPTION_KEY')
  return {
    port,
    host: text('HOST') ?? '127.0.0.1',
    baseUrl: baseUrl?.replace(/\/+$/, '') ?? localhost(port),
    dataDir,
    databasePooler: poolerModes.find((mode) => mode === pooler) ?? null,
    databaseRead: readReplicaSettings(reader, databaseUrl),
    databaseUrl: databaseUrl ?? `sqlite:${join(dataDir, 'watchpost.db')}`,
    artifactsDir: readFolder(text('ARTIFACTS_URL'), problems) ?? join(dataDir, 'artifacts'),
    artifactsBucket: readBucket(text, problems),
    storeMaxBytes: readStoreMax(reader),
    encryptionKeys: encryptionKeys === null ? null : readKeys(encryptionKeys, problems),
    egressAllowedNetworks: readNetworks('EGRESS_ALLOWED_NETWORKS', text('EGRESS_ALLOWED_NETWORKS'), problems),
    proxies: readProxySettings(reader),
    trustedProxies: readProxies(text('TRUSTED_PROXIES'), problems),
    apiRequestsPerMinute: Number(
      matching('API_REQUESTS_PER_MINUTE', /^[1-9]\d{0,6}$/, 'a number of requests, at least 1') ?? 600,
    ),
    mail: readMail(reader),
    logLevel,
    buildRevision: matching('BUILD_REVISION', /^[\w.+-]{1,64}$/, 'up to 64 letters, digits and . _ + -'),
    strictResponses: false,
    warnings: reader.warnings,
  }
}

/** The configuration once the port is known: what PORT 0 meant, and BASE_URL if it follows from it. */
export const onPort = <C extends Config>(config: C, port: number): C =>
  Object.freeze({
    ...config,
    port,
    baseUrl: config.baseUrl === localhost(config.port) ? localhost(port) : config.baseUrl,
  })

const localhost = (port: number): string => `http://localhost:${port}`

/** An empty store and its settings have room in it. */
const leastStoreGb = 0.01

const readStoreMax = (reader: Reader): number | null => {
  const bytes = readGigabytes(reader, 'STORE_MAX_GB')
  if (bytes !== null && bytes < Math.floor(leastStoreGb * 1024 ** 3))
    reader.problems.push(`STORE_MAX_GB must be at least ${leastStoreGb}`)
  return bytes
}

/** One host: a replica is not looked for, and a standby is what is meant. */
const readReplicaSettings = (reader: Reader, primary: string | null): Config['databaseRead'] => {
  const { matching, problems } = reader
  const url = matching('DATABASE_READ_URL', /^postgres(ql)?:\/\/./, 'postgres://…')
  const seconds = matching('DATABASE_READ_MAX_LAG_SECONDS', /^[1-9]\d{0,4}$/, 'a number of seconds') ?? '30'
  if (url === null) return null
  if (!primary?.startsWith('postgres'))
    problems.push('DATABASE_READ_URL is a replica of DATABASE_URL, which has to be postgres://…')
  if (mustTakeWrites(url)) problems.push('DATABASE_READ_URL names one host, and no target_session_attrs')
  return { url, maxLagMs: Number(seconds) * 1000 }
}

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
