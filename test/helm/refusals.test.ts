// Runs in test:all only: it fetches helm, and renders charts dozens of times.
/** Values that only templates can refuse, each of which a schema takes; what a schema refuses is in wrong-values.test.ts. */
import t from 'tap'
import {
  type ChartName,
  type ChartValues,
  leastValues,
  majorsInTurn,
  mergedValues,
  refusal,
} from '../support/charts.ts'
import { hasHelm, noHelm } from '../support/helm-program.ts'

const refused: Array<[chart: ChartName, values: ChartValues, says: RegExp]> = [
  ['agent', { apiKey: { value: `pl_${'a'.repeat(32)}` } }, /value and an existing secret/],
  ['agent', { controlPlaneUrl: '' }, /controlPlaneUrl is missing/],
  ['agent', { apiKey: { existingSecret: '' } }, /apiKey\.existingSecret is missing/],
  [
    'agent',
    { locations: { paris: { apiKey: { existingSecret: '' } } } },
    /apiKey\.existingSecret of the location paris/,
  ],
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
  [
    'agent',
    {
      settings: { FALLBACK_WEBHOOK_SECRET: 'x' },
      secretFiles: { FALLBACK_WEBHOOK_SECRET: { name: 'a', key: 'b' } },
    },
    /FALLBACK_WEBHOOK_SECRET is among settings and secretFiles/,
  ],
  [
    'agent',
    { proxy: { https: 'http://proxy.example' }, secretFiles: { HTTPS_PROXY: { name: 'a', key: 'b' } } },
    /proxy\.https is set, and HTTPS_PROXY is among secretFiles/,
  ],
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
  ['control-plane', { replicas: 2 }, /database\.existingSecret/],
  ['control-plane', { replicas: 2, database: { existingSecret: 'p' } }, /artifacts\.kind/],
  ['control-plane', { database: { url: 'postgres://a', existingSecret: 'p' } }, /set one of them/],
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
  ['control-plane', { asCode: { enabled: true } }, /asCode needs files, configMap or existingClaim/],
  ['control-plane', { asCode: { enabled: true, configMap: 'a', existingClaim: 'b' } }, /exactly one/],
  ['control-plane', { ingress: { enabled: true } }, /ingress\.hosts is empty/],
  ['control-plane', { gateway: { enabled: true } }, /gateway\.parentRefs is empty/],
  ['control-plane', { oidc: { issuer: 'https://login.example' } }, /oidc\.clientId is missing/],
  ['control-plane', { oidc: { existingSecret: 'oidc' } }, /oidc\.issuer is missing/],
  ['control-plane', { oidc: { issuer: 'https://login.example', clientId: 'w' } }, /oidc needs baseUrl/],
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
]

t.test(
  'values that do not go together are refused by their name',
  { skip: !hasHelm && noHelm },
  async (t) => {
    for (const [turn, [chart, values, says]] of refused.entries()) {
      const merged = mergedValues(leastValues[chart], values)
      for (const said of await refusal(t, chart, merged, majorsInTurn(turn)))
        t.match(said, says, JSON.stringify(values))
    }
  },
)
