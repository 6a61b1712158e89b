import t from 'tap'
import { agentVariables } from '../../agent/program/agent-variables.ts'
import { controlPlaneVariables } from '../../control-plane/read-config.ts'
import { namesOfVariables } from '../../protocol/misspelt-variables.ts'
import { agentEnvironment } from '../../start/settings.ts'

t.test('the agent is told nothing that only the control plane may know', async (t) => {
  const shared = /^(LOG_LEVEL|BUILD_REVISION|(HTTPS?|NO)_PROXY(_FILE)?)$/i
  const ofControlPlane = namesOfVariables(controlPlaneVariables).filter((name) => !shared.test(name))
  for (const name of ['ENCRYPTION_KEY', 'DATABASE_URL', 'OIDC_CLIENT_SECRET', 'SMTP_URL'])
    t.ok(ofControlPlane.includes(name), `${name} is a setting of the control plane`)
  const unlisted = ['AWS_PROFILE', 'OTEL_EXPORTER_OTLP_CERTIFICATE', 'API_KEY_FILE', 'ENCRYPTION_KEY_FILE']
  const env = Object.fromEntries([...ofControlPlane, ...unlisted].map((name) => [name, 'x']))
  t.strictSame(agentEnvironment(env, { API_KEY: 'pl_x' }), {
    AGENT_HEALTH_HOST: '127.0.0.1',
    API_KEY: 'pl_x',
  })
})

t.test('it has its own settings, those of the machine, and what it is started with', async (t) => {
  const own = namesOfVariables(agentVariables).filter((name) => name !== 'API_KEY_FILE')
  const env = Object.fromEntries([...own, 'PATH', 'HOME', 'NODE_EXTRA_CA_CERTS'].map((name) => [name, 'x']))
  t.strictSame(agentEnvironment(env, { API_KEY: 'pl_x' }), {
    AGENT_HEALTH_HOST: '127.0.0.1',
    ...env,
    API_KEY: 'pl_x',
  })
})
