import { readFileSync } from 'node:fs'
import t from 'tap'
import type { Environment } from '../../../agent/base/read-variables.ts'
import { agentVariables } from '../../../agent/program/agent-variables.ts'
import { ConfigError, readConfig } from '../../../agent/program/config.ts'

const key = `pl_${'0a'.repeat(16)}`
const required: Environment = { CONTROL_PLANE_URL: 'http://127.0.0.1:8080', API_KEY: key }
const noFiles = (path: string): string => {
  throw new Error(`ENOENT: ${path}`)
}

t.test('what is required is enough, and the defaults are those of the table', async (t) => {
  const config = readConfig(required, noFiles)
  t.match(config, {
    apiKey: key,
    uptimeConcurrency: 500,
    jobConcurrency: 1,
    scriptIsolation: 'best',
    healthPort: 8081,
    externalObservability: true,
    logLevel: 'info',
    spoolDir: './data/agent-spool',
    spoolMaxBytes: 256 * 1024 * 1024,
    drainTimeoutMs: 300_000,
  })
  t.ok(Object.isFrozen(config))
  const shown = new Map(agentVariables.map((variable) => [variable.name, variable.default]))
  t.equal(shown.get('UPTIME_CONCURRENCY'), '500')
  t.equal(shown.get('SPOOL_DIR'), config.spoolDir)
  t.equal(shown.get('DRAIN_TIMEOUT_SECONDS'), '300')
})

t.test('an empty variable counts as unset', async (t) => {
  t.equal(readConfig({ ...required, JOB_CONCURRENCY: ' ', HTTP_PROXY: '' }, noFiles).jobConcurrency, 1)
})

t.test('the key can come from a file', async (t) => {
  const { apiKey } = readConfig({ CONTROL_PLANE_URL: 'http://a', API_KEY_FILE: '/key' }, () => `${key}\n`)
  t.equal(apiKey, key)
})

t.test('values are read as the table says', async (t) => {
  const config = readConfig(
    {
      ...required,
      LOG_LEVEL: 'WARN',
      EXTERNAL_OBSERVABILITY: 'Off',
      CAPTURE: 'off',
      SCRIPT_ISOLATION: 'Required',
      DNS_SERVERS: '10.0.0.2, [::1]:53 1.1.1.1:5353',
      BLOCKED_NETWORKS: '10.0.0.0/8,::1',
      SPOOL_MAX_MB: '1',
      https_proxy: 'http://proxy:3128',
      NO_PROXY: 'localhost',
    },
    noFiles,
  )
  t.match(config, {
    logLevel: 'warn',
    scriptIsolation: 'required',
    externalObservability: false,
    dnsServers: ['10.0.0.2', '[::1]:53', '1.1.1.1:5353'],
    blockedNetworks: ['10.0.0.0/8', '::1'],
    spoolMaxBytes: 1024 * 1024,
    proxy: { http: null, https: 'http://proxy:3128', none: 'localhost' },
  })
})

t.test('one error names every problem', async (t) => {
  const env = {
    CONTROL_PLANE_URL: 'ftp://x',
    API_KEY: 'secret',
    JOB_CONCURRENCY: '11',
    UPTIME_CONCURRENCY: '1.5',
    AGENT_HEALTH_PORT: 'http',
    EXTERNAL_OBSERVABILITY: 'maybe',
    CAPTURE: 'always',
    SCRIPT_ISOLATION: 'strict',
    LOG_LEVEL: 'loud',
    SPOOL_MAX_MB: '0',
    DRAIN_TIMEOUT_SECONDS: '-1',
    DNS_SERVERS: 'dns.example',
    BLOCKED_NETWORKS: '10.0.0.0/40',
    ALLOWED_NETWORKS: 'all',
    HTTPS_PROXY: 'proxy',
    EXTRA_CA_CERTS: '/none.pem',
  }
  try {
    readConfig(env, noFiles)
    t.fail('it must not start')
  } catch (error) {
    t.type(error, ConfigError)
    const { problems, message } = error as ConfigError
    for (const name of Object.keys(env))
      t.ok(
        problems.some((problem) => problem.startsWith(name)),
        name,
      )
    t.notMatch(message, /secret/, 'a malformed key is not shown')
  }
  t.throws(() => readConfig({}, noFiles), { message: /CONTROL_PLANE_URL[\s\S]*API_KEY/ })
  t.throws(() => readConfig({ ...required, API_KEY_FILE: '/key' }, () => key), { message: /both/ })
})

t.test('every secret may stand in a file', async (t) => {
  const beside = { AGENT_LLM_BASE_URL: 'http://10.0.0.3/v1', AGENT_LLM_MODEL: 'm', AGENT_PROBE_TARGETS: '*' }
  const secrets: Record<string, string> = {
    API_KEY: key,
    AGENT_LLM_API_KEY: 'sk-1',
    AGENT_PROBE_TOKEN: 'of-sixteen-characters',
    FALLBACK_WEBHOOK_URL: 'https://hooks.example/token',
    FALLBACK_WEBHOOK_SECRET: 'signs',
    HTTP_PROXY: 'http://ada:word@proxy.example:3128',
    HTTPS_PROXY: 'https://ada:word@proxy.example:3129',
  }
  t.strictSame(
    agentVariables.flatMap(({ name, secret }) => (secret ? [name] : [])).toSorted(),
    Object.keys(secrets).toSorted(),
  )
  const sounds = /_(KEY|TOKEN|SECRET|PASSWORD)$/
  for (const { name, secret } of agentVariables) if (sounds.test(name)) t.ok(secret, name)
  const base = { CONTROL_PLANE_URL: required['CONTROL_PLANE_URL'], ...beside }
  const files = Object.keys(secrets).map((name) => [`${name}_FILE`, `/run/${name}`])
  const byFile = readConfig(
    { ...base, ...Object.fromEntries(files) },
    (path) => `${secrets[path.replace('/run/', '')]}\r\n`,
  )
  t.strictSame(byFile, readConfig({ ...base, ...secrets }, noFiles))
  t.equal(byFile.fallback?.secret, 'signs')
})

t.test('files of secrets that are no use are refused by name', async (t) => {
  const env = {
    CONTROL_PLANE_URL: 'http://a',
    API_KEY_FILE: '/none',
    AGENT_LLM_API_KEY: 'sk-1',
    AGENT_LLM_API_KEY_FILE: '/key',
    FALLBACK_WEBHOOK_URL_FILE: '/empty',
    AGENT_LLM_BASE_URL_FILE: '/key',
    HTTPS_PROXY_FILE: '/proxy',
    https_proxy: 'http://other:3128',
    HTTP_PROXY_FILE: '/none',
  }
  const read = (path: string): string => {
    if (path === '/none') throw new Error('ENOENT: /none')
    if (path === '/proxy') return 'ada:word@proxy.example'
    return path === '/empty' ? ' \n' : 'sk-2'
  }
  t.throws(
    () => readConfig(env, read),
    new ConfigError([
      'API_KEY_FILE names a file that cannot be read: ENOENT: /none',
      'AGENT_LLM_API_KEY and AGENT_LLM_API_KEY_FILE are both set; use one',
      'FALLBACK_WEBHOOK_URL_FILE names a file that is empty: write the value into it',
      'HTTP_PROXY_FILE names a file that cannot be read: ENOENT: /none',
      'AGENT_LLM_BASE_URL and AGENT_LLM_MODEL are missing: agentic checks need AGENT_LLM_BASE_URL, AGENT_LLM_API_KEY, AGENT_LLM_MODEL',
      'https_proxy and HTTPS_PROXY_FILE are both set; use one',
      'HTTPS_PROXY must be an http or https URL',
      'AGENT_LLM_BASE_URL_FILE is not known: did you mean AGENT_LLM_BASE_URL?',
    ]),
  )
})

t.test('a variable that is misspelt is a problem beside the others', async (t) => {
  const env = { ...required, CAPTURE: 'always', DNS_SERVER: '10.0.0.2', http_proxy: 'http://proxy:3128' }
  const problems = ['CAPTURE must be on or off', 'DNS_SERVER is not known: did you mean DNS_SERVERS?']
  t.throws(() => readConfig(env, noFiles), new ConfigError(problems))
})

t.test('the table lists every variable that is read', async (t) => {
  const source = [
    'program/config.ts',
    'program/read-fallback.ts',
    'agentic/read-model.ts',
    'probe/read-probe-settings.ts',
  ]
    .map((path) => readFileSync(new URL(`../../../agent/${path}`, import.meta.url), 'utf8'))
    .join('\n')
  const read = [
    ...source.matchAll(
      /(?:(?:textOf|integer|decimal|list|fileText|httpUrl|onOrOff|parsed<[^>]+>)\(\s*source,\s*|eitherCase\()'([A-Z_]+)'/g,
    ),
  ].map((match) => match[1])
  t.same(new Set(read), new Set([...agentVariables.map(({ name }) => name), 'API_KEY_FILE']))
})

t.test('a model needs its address, its key and its name', async (t) => {
  const llm = {
    AGENT_LLM_BASE_URL: 'http://10.0.0.3:8000/v1',
    AGENT_LLM_API_KEY: 'sk-1',
    AGENT_LLM_MODEL: 'small',
    AGENT_LLM_INPUT_PRICE: '0.25',
    AGENT_LLM_MAX_COST: '1',
  }
  t.equal(readConfig(required, noFiles).llm, null)
  t.match(readConfig({ ...required, ...llm }, noFiles).llm, {
    baseUrl: llm.AGENT_LLM_BASE_URL,
    apiKey: 'sk-1',
    model: 'small',
    timeoutMs: 60_000,
    maxSteps: 40,
    maxTokens: 200_000,
    dailyTokens: 5_000_000,
    inputPrice: 0.25,
    outputPrice: null,
    maxCost: 1,
  })
  const wrong = {
    ...required,
    AGENT_LLM_BASE_URL: 'llm.example',
    AGENT_LLM_MODEL: 'small',
    AGENT_LLM_MAX_COST: 'a lot',
    AGENT_LLM_MAX_STEPS: '0',
  }
  const problems = [
    'AGENT_LLM_MAX_STEPS must be a whole number from 1 to 200, not "0"',
    'AGENT_LLM_MAX_COST must be a decimal number such as 2.50',
    'AGENT_LLM_API_KEY is missing: agentic checks need AGENT_LLM_BASE_URL, AGENT_LLM_API_KEY, AGENT_LLM_MODEL',
    'AGENT_LLM_BASE_URL must be an http or https URL',
  ]
  t.throws(() => readConfig(wrong, noFiles), new ConfigError(problems))
  const freely = { ...required, ...llm, AGENT_LLM_INPUT_PRICE: '' }
  t.throws(() => readConfig(freely, noFiles), { message: /AGENT_LLM_MAX_COST needs AGENT_LLM_INPUT_PRICE/ })
})
