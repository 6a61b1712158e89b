import t from 'tap'
import type { ConfigError } from '../../../control-plane/platform/settings/reading.ts'
import { readConfig } from '../../../control-plane/read-config.ts'

const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    readConfig(env)
    return []
  } catch (error) {
    return (error as ConfigError).problems
  }
}

t.test('without RCA_BASE_URL the built-in rules analyse, and no inner network may be reached', async (t) => {
  t.match(readConfig({}), { analyst: null, egressAllowedNetworks: [] })
})

t.test('the endpoint and the networks are read, and every problem is listed', async (t) => {
  const env = {
    RCA_BASE_URL: 'https://llm.example/v1/',
    RCA_MODEL: 'm',
    EGRESS_ALLOWED_NETWORKS: '10.0.0.0/8, fd00::/8',
  }
  t.strictSame(readConfig(env).analyst, { baseUrl: 'https://llm.example/v1', apiKey: null, model: 'm' })
  t.strictSame(readConfig(env).egressAllowedNetworks, ['10.0.0.0/8', 'fd00::/8'])
  t.strictSame(
    problemsOf({ RCA_BASE_URL: 'llm.example', EGRESS_ALLOWED_NETWORKS: '10.0.0.0/33,x' }).length,
    4,
  )
  t.match(problemsOf({ RCA_BASE_URL: 'https://llm.example' }), [/RCA_MODEL/])
  const keyOnly = problemsOf({ RCA_API_KEY: 'sk-canary' })
  t.match(keyOnly, [/RCA_BASE_URL/])
  t.notMatch(keyOnly.join(), /sk-canary/)
})
