/** A chart takes of a setting what the program takes when it starts, and no more: else a pod would be installed that never starts. */
import { Ajv } from 'ajv'
import t from 'tap'
import { ConfigError as AgentConfigError, readConfig as readAgent } from '../../agent/program/config.ts'
import { ConfigError } from '../../control-plane/platform/settings/reading.ts'
import { readConfig as readControlPlane } from '../../control-plane/read-config.ts'
import { charts } from '../../helm/charts.ts'
import { numbersPattern } from '../../helm/kinds-of-values.ts'
import { judgedSettings, settingSchema } from '../../helm/setting-schemas.ts'

type Environment = { [name: string]: string }

const agentBase: Environment = {
  CONTROL_PLANE_URL: 'https://watchpost.example',
  API_KEY: `pl_${'a'.repeat(32)}`,
  AGENT_LLM_BASE_URL: 'https://llm.example/v1',
  AGENT_LLM_API_KEY: 'key',
  AGENT_LLM_MODEL: 'model',
  AGENT_LLM_INPUT_PRICE: '1',
  AGENT_LLM_OUTPUT_PRICE: '1',
  FALLBACK_WEBHOOK_URL: 'https://hooks.example',
  AGENT_PROBE_TARGETS: '*',
}
const planeBase: Environment = {
  DATABASE_URL: 'postgres://watchpost@db/watchpost',
  DATABASE_READ_URL: 'postgres://watchpost@replica/watchpost',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
  RCA_BASE_URL: 'https://llm.example/v1',
  RCA_MODEL: 'model',
}

const isMissing = /is missing|required with|needs? [A-Z_]+/

/** What the program says of the variable; null: it takes it. */
const problemOf = (folder: string, name: string, value: string): string | null => {
  try {
    if (folder === 'agent') readAgent({ ...agentBase, [name]: value }, () => '')
    else readControlPlane({ ...planeBase, [name]: value })
    return null
  } catch (error) {
    if (!(error instanceof AgentConfigError || error instanceof ConfigError)) throw error
    // What others need beside them is not said of their own values.
    return error.problems.find((problem) => problem.startsWith(name) && !isMissing.test(problem)) ?? null
  }
}

const samples = [
  ...['-1', '0', '0.005', '0.01', '0.5', '1', '2.50', '9', '10', '11', '14', '15', '99', '100', '101'],
  ...['200', '201', '240', '241', '999', '1000', '9999', '10000', '10001', '86400', '86401', '99999'],
  ...['100000', '999999', '1000000', '1000001', '10000000', '10000001', '999999999', '1000000000'],
  ...['1000000000000', '1000000000001', 'many', '1e3', '5s', '14s', '15s', '90s', '1m', '1440m', '1441m'],
  ...['1h', '24h', '25h', 'info', 'DEBUG', 'verbose', 'required', 'BEST', 'on', 'off', 'maybe', ''],
  ...['http://a.example', 'https://a.example/b?c=d', 'ftp://a.example', 'a.example:80'],
  ...[
    '10.0.0.0/8',
    '10.0.0.0/33',
    '10.0.0.1, fd00::/8 ::1',
    '::ffff:10.0.0.1',
    '1::2::3',
    'fe80::/129',
    '300.1.1.1',
  ],
  ...['10.0.0.10:53', '[::1]:53', '10.0.0.10:99999999', 'a'.repeat(15), 'a'.repeat(16), 'a'.repeat(201)],
  ...[
    'transaction',
    'statement',
    'session',
    'gzip',
    'none',
    'otlp',
    'zip',
    'postgres://b',
    'mysql://b',
    'a b',
  ],
]

t.test('each judged setting is taken by its chart as by its program', async (t) => {
  const judged = new Set(judgedSettings)
  for (const { folder, variables, taken } of charts)
    for (const { name } of variables) {
      const isRetention = name.startsWith('RETENTION_')
      if ((!judged.has(name) && !isRetention) || name in taken) continue
      judged.delete(name)
      const takes = new Ajv({ strict: false }).compile(settingSchema(name))
      for (const sample of samples) {
        const problem = problemOf(folder, name, sample)
        t.equal(takes(sample), problem === null, `${name}=${sample}`, { problem })
        // As YAML has numbers.
        if (/^-?\d+(\.\d+)?$/.test(sample) && !/^\D*$/.test(JSON.stringify(settingSchema(name)['type'])))
          t.equal(takes(Number(sample)), problem === null, `${name}: ${sample}`)
      }
    }
  t.same([...judged], [], 'no setting is judged that does not exist')
})

t.test('a pattern of numbers has those between its ends, and no others', async (t) => {
  for (const [min, max] of [
    [0, 0],
    [0, 9],
    [1, 10],
    [15, 86_400],
    [1000, 1999],
    [7, 107],
    [98, 1203],
  ] as const) {
    const pattern = new RegExp(`^${numbersPattern(min, max)}$`)
    const wrong = Array.from({ length: max + 200 }, (_, number) => number).filter(
      (number) => pattern.test(String(number)) !== (number >= min && number <= max),
    )
    t.same(wrong, [], `${min} to ${max}`)
  }
})
