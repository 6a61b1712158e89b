/**
 * The agent's settings: `readConfig` turns an environment into a frozen value, or throws one error that names every
 * problem. `agent-variables.ts` says what each of them means.
 */
import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { misspeltVariables, namesOfVariables } from '../../protocol/misspelt-variables.ts'
import { parseNetwork } from '../../protocol/networks/network-list.ts'
import type { ProxySettings } from '../../protocol/networks/proxy.ts'
import type { ModelSettings } from '../agentic/model.ts'
import { readModel } from '../agentic/read-model.ts'
import {
  type Environment,
  fileText,
  httpUrl,
  integer,
  list,
  onOrOff,
  parsed,
  textOf,
  type VariableSource,
} from '../base/read-variables.ts'
import type { ProbeSettings } from '../probe/probe-endpoint.ts'
import { readProbeSettings } from '../probe/read-probe-settings.ts'
import { agentVariables } from './agent-variables.ts'
import { type FallbackSettings, readFallback } from './read-fallback.ts'
import { withSecretFiles } from './read-secret-files.ts'

export type LogLevel = (typeof logLevels)[number]

/** Durations and sizes carry their unit. `proxy` is for management traffic; checks get theirs with their job. */
export type Config = Readonly<{
  controlPlaneUrl: string
  apiKey: string
  uptimeConcurrency: number
  jobConcurrency: number
  scriptConcurrency: number
  preparedBrowsers: number
  /** With Playwright's own browsers. */
  browsersFolder: string
  scriptIsolation: 'required' | 'best'
  /** What suites keep from run to run. */
  suiteCache: Readonly<{ folder: string; maxBytes: number }>
  healthPort: number
  healthHost: string | null
  externalObservability: boolean
  logLevel: LogLevel
  spoolDir: string
  spoolMaxBytes: number
  drainTimeoutMs: number
  dnsServers: readonly string[]
  blockedNetworks: readonly string[]
  allowedNetworks: readonly string[]
  capture: boolean
  /** Null: this agent runs no agentic checks. */
  llm: Readonly<ModelSettings> | null
  /** Who is told while the control plane is away; null: nobody. */
  fallback: FallbackSettings | null
  /** Null: `/probe` is off. */
  probe: ProbeSettings | null
  proxy: ProxySettings
  extraCaCerts: string | null
  /** Of the sources that an image was built from. */
  buildRevision: string | null
}>

/** Every problem at once; its message is meant for the person who starts the agent. */
export class ConfigError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`the agent cannot start:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

const isolations = ['required', 'best'] as const
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/**
 * `readText` reads the files that EXTRA_CA_CERTS and secrets' `_FILE` variables name. An empty variable counts as unset.
 * @throws ConfigError
 */
export const readConfig = (env: Environment, readText: (path: string) => string): Config => {
  const source = withSecretFiles({ env, readText, problems: [] }, agentVariables)
  const config: Config = {
    ...readAddress(source),
    ...readLimits(source),
    ...readHealth(source),
    ...readSwitches(source),
    spoolDir: textOf(source, 'SPOOL_DIR') ?? './data/agent-spool',
    browsersFolder: textOf(source, 'PLAYWRIGHT_BROWSERS_PATH') ?? join(homedir(), '.cache/ms-playwright'),
    suiteCache: readSuiteCache(source),
    ...readNetworks(source),
    llm: readModel(source),
    fallback: readFallback(source),
    probe: readProbeSettings(source),
    proxy: readProxy(source),
    extraCaCerts: readCaCerts(source),
    buildRevision: parsed<string | null>(source, 'BUILD_REVISION', {
      fallback: null,
      parse: (value) =>
        /^[\w.+-]{1,64}$/.test(value) ? value : 'must be up to 64 letters, digits and . _ + -',
    }),
  }
  source.problems.push(...misspeltVariables(env, namesOfVariables(agentVariables)))
  if (source.problems.length > 0) throw new ConfigError(source.problems)
  return Object.freeze(config)
}

const readAddress = (source: VariableSource): Pick<Config, 'controlPlaneUrl' | 'apiKey'> => {
  if (textOf(source, 'CONTROL_PLANE_URL') === null)
    source.problems.push('CONTROL_PLANE_URL is missing: the address of the control plane')
  return { controlPlaneUrl: httpUrl(source, 'CONTROL_PLANE_URL') ?? '', apiKey: readApiKey(source) }
}

const readApiKey = (source: VariableSource): string => {
  const key = textOf(source, 'API_KEY')
  const isInFile = textOf(source, 'API_KEY_FILE') !== null
  const name = isInFile ? 'API_KEY_FILE' : 'API_KEY'
  if (key === null && !isInFile)
    source.problems.push('API_KEY is missing: the key of the private location (or API_KEY_FILE)')
  if (key !== null && !/^pl_[0-9a-f]{32}$/i.test(key))
    source.problems.push(`${name} must hold pl_ and 32 hex characters`)
  return key ?? ''
}

type Limits =
  | 'uptimeConcurrency'
  | 'jobConcurrency'
  | 'scriptConcurrency'
  | 'preparedBrowsers'
  | 'spoolMaxBytes'
  | 'drainTimeoutMs'

const readLimits = (source: VariableSource): Pick<Config, Limits> => ({
  uptimeConcurrency: integer(source, 'UPTIME_CONCURRENCY', { fallback: 500, range: [1, 10_000] }),
  jobConcurrency: integer(source, 'JOB_CONCURRENCY', { fallback: 1, range: [1, 10] }),
  scriptConcurrency: integer(source, 'SCRIPT_CONCURRENCY', { fallback: 4, range: [1, 100] }),
  preparedBrowsers: integer(source, 'PREPARED_BROWSERS', { fallback: 1, range: [0, 10] }),
  spoolMaxBytes: integer(source, 'SPOOL_MAX_MB', { fallback: 256, range: [1, 1_000_000] }) * 1024 * 1024,
  drainTimeoutMs: integer(source, 'DRAIN_TIMEOUT_SECONDS', { fallback: 300, range: [0, 86_400] }) * 1000,
})

const readSuiteCache = (source: VariableSource): Config['suiteCache'] =>
  Object.freeze({
    folder: textOf(source, 'SUITE_CACHE_DIR') ?? './data/agent-suites',
    maxBytes: integer(source, 'SUITE_CACHE_MAX_MB', { fallback: 4096, range: [0, 10_000_000] }) * 1024 * 1024,
  })

const readHealth = (source: VariableSource): Pick<Config, 'healthPort' | 'healthHost'> => ({
  healthPort: integer(source, 'AGENT_HEALTH_PORT', { fallback: 8081, range: [0, 65_535] }),
  healthHost: parsed<string | null>(source, 'AGENT_HEALTH_HOST', {
    fallback: null,
    parse: (value) => (/^[\w.:-]+$/.test(value) ? value : 'must be an address'),
  }),
})

const readSwitches = (
  source: VariableSource,
): Pick<Config, 'externalObservability' | 'logLevel' | 'capture' | 'scriptIsolation'> => ({
  externalObservability: onOrOff(source, 'EXTERNAL_OBSERVABILITY', true),
  logLevel: parsed<LogLevel>(source, 'LOG_LEVEL', {
    fallback: 'info',
    parse: (value) =>
      logLevels.find((level) => level === value.toLowerCase()) ?? `must be one of ${logLevels.join(', ')}`,
  }),
  capture: onOrOff(source, 'CAPTURE', true),
  scriptIsolation: parsed<Config['scriptIsolation']>(source, 'SCRIPT_ISOLATION', {
    fallback: 'best',
    parse: (value) =>
      isolations.find((isolation) => isolation === value.toLowerCase()) ?? 'must be required or best',
  }),
})

const readNetworks = (
  source: VariableSource,
): Pick<Config, 'dnsServers' | 'blockedNetworks' | 'allowedNetworks'> => {
  const networks = {
    isValid: (item: string) => parseNetwork(item) !== null,
    kind: 'networks such as 10.0.0.0/8',
  }
  return {
    dnsServers: list(source, 'DNS_SERVERS', { isValid: isNameServer, kind: 'addresses of name servers' }),
    blockedNetworks: list(source, 'BLOCKED_NETWORKS', networks),
    allowedNetworks: list(source, 'ALLOWED_NETWORKS', networks),
  }
}

const readProxy = (source: VariableSource): Config['proxy'] => {
  const eitherCase = (name: string): string | null => {
    const inLowerCase = name.toLowerCase()
    if (textOf(source, `${name}_FILE`) !== null && textOf(source, inLowerCase) !== null)
      source.problems.push(`${inLowerCase} and ${name}_FILE are both set; use one`)
    return httpUrl(source, name) ?? httpUrl(source, inLowerCase)
  }
  return Object.freeze({
    http: eitherCase('HTTP_PROXY'),
    https: eitherCase('HTTPS_PROXY'),
    none: textOf(source, 'NO_PROXY') ?? textOf(source, 'no_proxy'),
  })
}

const readCaCerts = (source: VariableSource): string | null => {
  const pem = fileText(source, 'EXTRA_CA_CERTS')
  if (pem === null || pem.trim() === '') return null
  const wrong = brokenCertificate(pem)
  if (wrong !== null) source.problems.push(`EXTRA_CA_CERTS must name a file of PEM certificates: ${wrong}`)
  return pem
}

const isNameServer = (item: string): boolean => {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(item)?.[1]
  const plain = bracketed ?? (isIP(item) === 6 ? item : (item.split(':')[0] ?? ''))
  return (
    isIP(plain) !== 0 && (bracketed !== undefined || isIP(item) === 6 || /^[\d.]+(?::\d{1,5})?$/.test(item))
  )
}

/** What is wrong with a text that should hold certificates in PEM, or null. */
const brokenCertificate = (text: string): string | null => {
  const blocks = text.match(/-----BEGIN [^-]*-----[^-]*(?:-----END [^-]*-----)?/g) ?? []
  if (blocks.length === 0) return 'it holds none'
  const broken = blocks.findIndex((block) => !isCertificate(block))
  return broken === -1 ? null : `number ${broken + 1} in it is none`
}

const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).subject !== undefined
  } catch {
    // Not a certificate; the caller names the variable.
    return false
  }
}
