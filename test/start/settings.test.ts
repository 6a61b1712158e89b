import t from 'tap'
import { agentEnvironment } from '../../start/settings.ts'

t.test('the agent is told nothing that only the control plane may know', async (t) => {
  const secrets = [
    'ENCRYPTION_KEY',
    'DATABASE_URL',
    'ARTIFACTS_URL',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_ACCESS_KEY_ID',
  ]
  const env = Object.fromEntries([...secrets, 'DNS_SERVERS'].map((name) => [name, 'x']))
  t.strictSame(agentEnvironment(env, { API_KEY: 'pl_x' }), {
    AGENT_HEALTH_HOST: '127.0.0.1',
    DNS_SERVERS: 'x',
    API_KEY: 'pl_x',
  })
})
