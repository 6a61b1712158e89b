// Runs in test:all only: it fetches helm, and renders charts dozens of times.
import t from 'tap'
import { type ChartName, type ChartValues, leastValues, mergedValues, refusal } from '../support/charts.ts'
import { hasHelm, noHelm } from '../support/helm-program.ts'

const refused: Array<[chart: ChartName, values: ChartValues, says: RegExp]> = [
  ['agent', { replicaz: 2 }, /replicaz/],
  ['agent', { settings: { JOB_CONCURENCY: 2 } }, /JOB_CONCURENCY/],
  ['agent', { settings: { API_KEY: 'x' } }, /API_KEY/],
  ['agent', { image: { variant: 'browser' } }, /variant/],
  ['agent', { image: { digest: 'latest' } }, /digest/],
  ['agent', { apiKey: { value: 'pl_short' } }, /apiKey\/value/],
  ['agent', { apiKey: { value: `pl_${'a'.repeat(32)}` } }, /value and an existing secret/],
  ['agent', { controlPlaneUrl: '' }, /controlPlaneUrl is missing/],
  ['agent', { controlPlaneUrl: 'watchpost.example' }, /controlPlaneUrl/],
  ['agent', { apiKey: { existingSecret: '' } }, /apiKey\.existingSecret is missing/],
  ['agent', { locations: { Paris: {} } }, /Paris/],
  [
    'agent',
    { locations: { paris: { apiKey: { existingSecret: '' } } } },
    /apiKey\.existingSecret of the location paris/,
  ],
  ['agent', { locations: { paris: { metrics: {} } } }, /metrics/],
  ['agent', { autoscaling: { mode: 'keda' } }, /locationId/],
  ['agent', { autoscaling: { mode: 'keda', keda: { trigger: 'prometheus' } } }, /serverAddress/],
  [
    'agent',
    {
      autoscaling: {
        mode: 'keda',
        keda: { trigger: 'prometheus', prometheus: { serverAddress: 'http://a' } },
      },
    },
    /prometheus\.slug is missing/,
  ],
  ['agent', { autoscaling: { mode: 'hpa', minReplicas: 0 } }, /at least 1/],
  ['agent', { autoscaling: { mode: 'hpa', minReplicas: 7 } }, /greater than maxReplicas/],
  ['agent', { autoscaling: { mode: 'hpa', hpa: { targetCPU: 0 } } }, /no target/],
  ['agent', { caBundle: { configMap: 'a', secret: 'b' } }, /caBundle/],
  ['agent', { drainTimeoutSeconds: '5m' }, /drainTimeoutSeconds/],
  ['agent', { secretFiles: { LOG_LEVEL: { name: 'a', key: 'b' } } }, /LOG_LEVEL/],
  ['agent', { secretFiles: { API_KEY: { name: 'a', key: 'b' } } }, /API_KEY/],
  ['agent', { secretFiles: { AGENT_PROBE_TOKEN: { name: 'a' } } }, /key/],
  [
    'agent',
    {
      settings: { FALLBACK_WEBHOOK_SECRET: 'x' },
      secretFiles: { FALLBACK_WEBHOOK_SECRET: { name: 'a', key: 'b' } },
    },
    /FALLBACK_WEBHOOK_SECRET is among settings and secretFiles/,
  ],
  ['agent', { settings: { HTTPS_PROXY: 'http://proxy.example' } }, /HTTPS_PROXY/],
  [
    'agent',
    { proxy: { https: 'http://proxy.example' }, secretFiles: { HTTPS_PROXY: { name: 'a', key: 'b' } } },
    /proxy\.https is set, and HTTPS_PROXY is among secretFiles/,
  ],
  ['control-plane', { secretFiles: { SMTP_URL: { name: 'a', key: 'b' } } }, /SMTP_URL/],
  [
    'control-plane',
    { settings: { RCA_API_KEY: 'x' }, secretFiles: { RCA_API_KEY: { name: 'a', key: 'b' } } },
    /RCA_API_KEY is among settings and secretFiles/,
  ],
  [
    'control-plane',
    {
      artifacts: { kind: 's3', s3: { url: 's3://files', existingSecret: 's3' } },
      secretFiles: { AWS_SECRET_ACCESS_KEY: { name: 'a', key: 'b' } },
    },
    /AWS_SECRET_ACCESS_KEY is among secretFiles/,
  ],
  ['control-plane', { settings: { RETENTION_DAYS: 2 } }, /RETENTION_DAYS/],
  ['control-plane', { settings: { DATABASE_URL: 'x' } }, /DATABASE_URL/],
  ['control-plane', { replicas: 2 }, /database\.existingSecret/],
  ['control-plane', { replicas: 2, database: { existingSecret: 'p' } }, /artifacts\.kind/],
  ['control-plane', { database: { url: 'postgres://a', existingSecret: 'p' } }, /set one of them/],
  ['control-plane', { database: { url: 'mysql://a' } }, /database\/url/],
  ['control-plane', { artifacts: { kind: 's3' } }, /artifacts\.s3\.url is missing/],
  ['control-plane', { backup: { enabled: true }, database: { existingSecret: 'p' } }, /pg_dump/],
  ['control-plane', { backup: { enabled: true }, persistence: { enabled: false } }, /persistence\.enabled/],
  [
    'control-plane',
    { restore: { enabled: true, file: 'a' }, database: { existingSecret: 'p' } },
    /pg_restore/,
  ],
  ['control-plane', { restore: { enabled: true } }, /restore\.file is missing/],
  ['control-plane', { restore: { enabled: true, file: 'a' } }, /restore\.existingClaim is missing/],
  [
    'control-plane',
    { restore: { enabled: true, file: 'a', existingClaim: 'b' }, persistence: { enabled: false } },
    /restore needs persistence\.enabled/,
  ],
  ['control-plane', { restore: { file: '../a' } }, /restore\/file/],
  ['control-plane', { asCode: { enabled: true } }, /asCode needs files, configMap or existingClaim/],
  ['control-plane', { asCode: { enabled: true, configMap: 'a', existingClaim: 'b' } }, /exactly one/],
  ['control-plane', { asCode: { files: { 'a.yaml': 1 } } }, /asCode/],
  ['control-plane', { ingress: { enabled: true } }, /ingress\.hosts is empty/],
  ['control-plane', { gateway: { enabled: true } }, /gateway\.parentRefs is empty/],
  ['control-plane', { settings: { OIDC_CLIENT_SECRET: 'x' } }, /OIDC_CLIENT_SECRET/],
  ['control-plane', { oidc: { issuer: 'https://login.example' } }, /oidc\.clientId is missing/],
  ['control-plane', { oidc: { existingSecret: 'oidc' } }, /oidc\.issuer is missing/],
  ['control-plane', { oidc: { issuer: 'https://login.example', clientId: 'w' } }, /oidc needs baseUrl/],
  ['control-plane', { oidc: { roleMapping: { ops: 'OWNER' } } }, /roleMapping\/ops/],
  ['control-plane', { oidc: { roleMapping: { 'a,b': 'ADMIN' } } }, /a,b/],
  ['control-plane', { mail: { existingSecret: 'smtp' } }, /mail\.from is missing/],
  ['control-plane', { mail: { from: 'a@b.example' } }, /mail\.existingSecret is missing/],
  [
    'control-plane',
    { secrets: {} },
    /secrets\.encryptionKey, secrets\.accountId.*no cluster[\s\S]*kubectl -n \S+ create secret/,
  ],
  [
    'control-plane',
    { secrets: { encryptionKey: Buffer.alloc(32).toString('base64') } },
    /: secrets\.accountId, secrets\.apiKey, secrets\.agentKey: there is no cluster/,
  ],
  ['control-plane', { persistance: { size: '1Gi' } }, /persistance/],
  ['control-plane', { persistence: { size: 'much' } }, /persistence\/size/],
]

t.test('values that are wrong are refused by their name', { skip: !hasHelm && noHelm }, async (t) => {
  for (const [chart, values, says] of refused)
    for (const said of await refusal(t, chart, mergedValues(leastValues[chart], values)))
      t.match(said, says, JSON.stringify(values))
})
