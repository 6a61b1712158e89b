/**
 * The agent's settings: `agentVariables` is the one list of them, from which `--help` is printed and README's table is
 * checked; `readConfig` turns an environment into a frozen value, or throws one error that names every problem.
 */
import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { parseNetwork } from './net/connect/egress.ts'

export type Variable = { name: string; default: string; meaning: string }

export const agentVariables: readonly Variable[] = [
  { name: 'CONTROL_PLANE_URL', default: 'required', meaning: 'address of the control plane, http or https' },
  {
    name: 'API_KEY',
    default: 'required',
    meaning: 'key of the private location: `pl_` and 32 hex characters',
  },
  { name: 'API_KEY_FILE', default: 'unset', meaning: 'file that holds the key, instead of `API_KEY`' },
  {
    name: 'UPTIME_CONCURRENCY',
    default: '500',
    meaning:
      'protocol checks that start at once, 1 to 10000; those that wait for their target for over a second do not count',
  },
  {
    name: 'SCRIPT_CONCURRENCY',
    default: '4',
    meaning:
      'setup and teardown scripts of API checks at once, 1 to 100; each may use up to 320 MB of memory',
  },
  {
    name: 'SCRIPT_ISOLATION',
    default: 'best',
    meaning:
      '`required` runs no code of users unless the kernel holds the walls round it (`docs/security.md`); `best` takes those that there are',
  },
  { name: 'JOB_CONCURRENCY', default: '1', meaning: 'browser-class checks at once, 1 to 10' },
  {
    name: 'AGENT_HEALTH_PORT',
    default: '8081',
    meaning: 'port of the probes and metrics; 0 takes a free one',
  },
  {
    name: 'AGENT_HEALTH_HOST',
    default: 'all addresses',
    meaning: 'address that the probes and metrics listen on',
  },
  {
    name: 'EXTERNAL_OBSERVABILITY',
    default: 'on',
    meaning: "`off` sends no events about the agent's own errors to the control plane",
  },
  {
    name: 'LOG_LEVEL',
    default: 'info',
    meaning: '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`',
  },
  {
    name: 'SPOOL_DIR',
    default: './data/agent-spool',
    meaning: 'folder that keeps results and their files until the control plane has them',
  },
  {
    name: 'SPOOL_MAX_MB',
    default: '256',
    meaning: 'most that the folder holds; the oldest go first',
  },
  {
    name: 'DRAIN_TIMEOUT_SECONDS',
    default: '300',
    meaning: 'how long running checks may go on after SIGTERM',
  },
  {
    name: 'DNS_SERVERS',
    default: "the system's resolver",
    meaning: 'name servers for checks, as addresses with an optional port',
  },
  {
    name: 'BLOCKED_NETWORKS',
    default: 'none',
    meaning: "networks that checks may not connect to, beside the clouds' metadata services",
  },
  {
    name: 'ALLOWED_NETWORKS',
    default: 'none',
    meaning:
      'exceptions to `BLOCKED_NETWORKS` and to metadata services; alone, the only networks that checks may connect to',
  },
  {
    name: 'CAPTURE',
    default: 'on',
    meaning:
      '`off`: failing checks carry no packet capture; `on` takes one where `tcpdump` is installed and may capture',
  },
  { name: 'HTTP_PROXY', default: 'unset', meaning: 'proxy for traffic to an http control plane' },
  { name: 'HTTPS_PROXY', default: 'unset', meaning: 'proxy for traffic to an https control plane' },
  {
    name: 'NO_PROXY',
    default: 'unset',
    meaning:
      'control planes that are reached without a proxy: names with all below them, addresses, networks, each with an optional port, or `*`',
  },
  {
    name: 'EXTRA_CA_CERTS',
    default: 'unset',
    meaning: 'PEM file of further authorities to trust, for the control plane and for checks',
  },
]

export type LogLevel = (typeof logLevels)[number]

export type Config = Readonly<{
  controlPlaneUrl: string
  apiKey: string
  uptimeConcurrency: number
  jobConcurrency: number
  scriptConcurrency: number
  scriptIsolation: 'required' | 'best'
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
  proxy: Readonly<{ http: string | null; https: string | null; none: string | null }>
  extraCaCerts: string | null
}>

export type Environment = Readonly<Record<string, string | undefined>>

/** Every problem at once; its message is meant for the person who starts the agent. */
export class ConfigError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`the agent cannot start:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** `readText` reads the files that API_KEY_FILE and EXTRA_CA_CERTS name. An empty variable counts as unset. */
export const readConfig = (env: Environment, readText: (path: string) => string): Config => {
  const problems: string[] = []
  const text = (name: string): string | null => env[name]?.trim() || null

  const parsed = <T>(name: string, fallback: T, parse: (value: string) => T | string): T => {
    const value = text(name)
    if (value === null) return fallback
    const result = parse(value)
    if (typeof result !== 'string' || !result.startsWith('must ')) return result as T
    problems.push(`${name} ${result}`)
    return fallback
  }

  const integer = (name: string, fallback: number, [least, most]: [number, number]): number =>
    parsed<number>(name, fallback, (value) => {
      const number = Number(value)
      const valid = /^\d+$/.test(value) && number >= least && number <= most
      return valid ? number : `must be a whole number from ${least} to ${most}, not "${value}"`
    })

  const onOrOff = (name: string, fallback: boolean): boolean =>
    parsed<boolean>(name, fallback, (value) => {
      const known: Record<string, boolean> = { on: true, off: false }
      return known[value.toLowerCase()] ?? 'must be on or off'
    })

  const list = (name: string, isValid: (item: string) => boolean, kind: string): readonly string[] => {
    const items = (text(name) ?? '').split(/[\s,]+/).filter(Boolean)
    const wrong = items.filter((item) => !isValid(item))
    if (wrong.length > 0)
      problems.push(`${name} must be a list of ${kind}; these are not: ${wrong.join(', ')}`)
    return Object.freeze(items.filter(isValid))
  }

  const file = (name: string): string | null => {
    const path = text(name)
    if (path === null) return null
    try {
      return readText(path)
    } catch (error) {
      problems.push(
        `${name} names a file that cannot be read: ${error instanceof Error ? error.message : error}`,
      )
      return ''
    }
  }

  const readApiKey = (): string => {
    const fromFile = file('API_KEY_FILE')
    if (fromFile !== null && text('API_KEY') !== null)
      problems.push('API_KEY and API_KEY_FILE are both set; use one')
    const key = fromFile?.trim() ?? text('API_KEY')
    const source = fromFile === null ? 'API_KEY' : 'API_KEY_FILE'
    if (key === null) problems.push('API_KEY is missing: the key of the private location (or API_KEY_FILE)')
    else if (!/^pl_[0-9a-f]{32}$/i.test(key)) problems.push(`${source} must hold pl_ and 32 hex characters`)
    return key ?? ''
  }

  const url = (name: string): string | null =>
    parsed<string | null>(name, null, (value) => (isHttpUrl(value) ? value : 'must be an http or https URL'))

  const readCaCerts = (): string | null => {
    const pem = file('EXTRA_CA_CERTS')
    if (pem === null || pem === '') return pem
    const wrong = brokenCertificate(pem)
    if (wrong !== null) problems.push(`EXTRA_CA_CERTS must name a file of PEM certificates: ${wrong}`)
    return pem
  }

  const upper = (name: string): string | null => url(name) ?? url(name.toLowerCase())

  if (text('CONTROL_PLANE_URL') === null)
    problems.push('CONTROL_PLANE_URL is missing: the address of the control plane')
  const config: Config = {
    controlPlaneUrl: url('CONTROL_PLANE_URL') ?? '',
    apiKey: readApiKey(),
    uptimeConcurrency: integer('UPTIME_CONCURRENCY', 500, [1, 10_000]),
    jobConcurrency: integer('JOB_CONCURRENCY', 1, [1, 10]),
    scriptConcurrency: integer('SCRIPT_CONCURRENCY', 4, [1, 100]),
    scriptIsolation: parsed<'required' | 'best'>('SCRIPT_ISOLATION', 'best', (value) => {
      const known = { required: 'required', best: 'best' } as const
      return known[value.toLowerCase() as keyof typeof known] ?? 'must be required or best'
    }),
    healthPort: integer('AGENT_HEALTH_PORT', 8081, [0, 65_535]),
    healthHost: parsed<string | null>('AGENT_HEALTH_HOST', null, (value) =>
      /^[\w.:-]+$/.test(value) ? value : 'must be an address',
    ),
    externalObservability: onOrOff('EXTERNAL_OBSERVABILITY', true),
    logLevel: parsed<LogLevel>(
      'LOG_LEVEL',
      'info',
      (value) =>
        logLevels.find((level) => level === value.toLowerCase()) ?? `must be one of ${logLevels.join(', ')}`,
    ),
    spoolDir: text('SPOOL_DIR') ?? './data/agent-spool',
    spoolMaxBytes: integer('SPOOL_MAX_MB', 256, [1, 1_000_000]) * 1024 * 1024,
    drainTimeoutMs: integer('DRAIN_TIMEOUT_SECONDS', 300, [0, 86_400]) * 1000,
    dnsServers: list('DNS_SERVERS', isNameServer, 'addresses of name servers'),
    blockedNetworks: list(
      'BLOCKED_NETWORKS',
      (item) => parseNetwork(item) !== null,
      'networks such as 10.0.0.0/8',
    ),
    allowedNetworks: list(
      'ALLOWED_NETWORKS',
      (item) => parseNetwork(item) !== null,
      'networks such as 10.0.0.0/8',
    ),
    capture: onOrOff('CAPTURE', true),
    proxy: Object.freeze({
      http: upper('HTTP_PROXY'),
      https: upper('HTTPS_PROXY'),
      none: text('NO_PROXY') ?? text('no_proxy'),
    }),
    extraCaCerts: readCaCerts(),
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(config)
}

const isHttpUrl = (value: string): boolean => /^https?:$/.test(URL.parse(value)?.protocol ?? '')

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
