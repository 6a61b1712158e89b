/** What is special in the values of the control plane's chart: all else about them is read from its values.yaml. */
import { roles } from '../control-plane/platform/words/shapes/roles.ts'
import { controlPlaneVariables } from '../control-plane/read-config.ts'
import { type Chart, commonValues } from './common-values.ts'
import {
  address,
  annotations,
  bytes,
  entry,
  host,
  integer,
  listOf,
  mapOf,
  optionalObject,
  proxies,
  schedule,
  text,
  uuid,
} from './kinds-of-values.ts'
import { customResource, kubernetes } from './kubernetes-types.ts'

const route = 'gateway.networking.k8s.io/v1/HTTPRoute'
/** Base64 of 32 bytes. */
const key = '[A-Za-z0-9+/]{43}='
const accessModes = {
  ...listOf({ enum: ['ReadWriteOnce', 'ReadWriteMany', 'ReadWriteOncePod'] }),
  minItems: 1,
}

export const controlPlaneChart: Chart = {
  folder: 'control-plane',
  title: 'Watchpost control plane',
  introduction: `The control plane: API, schedule, results, alerts and status pages. Without a database it keeps everything in one file on
a volume, with one pod; with PostgreSQL any number of pods share it.

\`\`\`sh
helm install watchpost ./helm/control-plane --set baseUrl=https://watchpost.example \\
  --set ingress.enabled=true --set 'ingress.hosts={watchpost.example}'
helm test watchpost
\`\`\`

The notes that Helm prints say how to sign in for the first time, how to read the API key and how to install the agents of the location
\`local\`. [docs/deploy/kubernetes.md](../../docs/deploy/kubernetes.md) has the way from here to a first result, also without a name and an ingress.`,
  special: {
    ...commonValues,
    baseUrl: address,
    settings: {},
    'persistence.existingClaim': optionalObject,
    'persistence.storageClass': optionalObject,
    'persistence.size': bytes,
    'persistence.accessModes': accessModes,
    'persistence.annotations': annotations,
    'persistence.selector': kubernetes('LabelSelector'),
    'artifacts.kind': { enum: ['data', 'pvc', 's3'] },
    'artifacts.s3.url': text('^(s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/.*)?)?$'),
    'artifacts.s3.endpoint': address,
    'artifacts.s3.region': text('^[a-z0-9-]*$'),
    'artifacts.s3.existingSecret': optionalObject,
    'artifacts.pvc.existingClaim': optionalObject,
    'artifacts.pvc.storageClass': optionalObject,
    'artifacts.pvc.size': bytes,
    'artifacts.pvc.accessModes': accessModes,
    'secrets.existingSecret': optionalObject,
    'secrets.encryptionKey': text(`^(${key}( *, *${key})*)?$`),
    'secrets.accountId': uuid,
    'secrets.apiKey': text('^([!-~]{20,200})?$'),
    'secrets.agentKey': text('^(pl_[0-9a-f]{32})?$'),
    'database.url': text('^(postgres(ql)?://.+)?$'),
    'database.existingSecret': optionalObject,
    'database.secretKey': entry,
    'oidc.issuer': address,
    'oidc.existingSecret': optionalObject,
    'oidc.secretKey': entry,
    'oidc.scopes': text('(^| )openid( |$)'),
    // What the list of OIDC_ROLE_MAPPING can say.
    'oidc.roleMapping': mapOf('^[^,]+$', { enum: roles.filter((role) => role !== 'OWNER') }),
    'mail.existingSecret': optionalObject,
    'mail.secretKey': entry,
    'mail.from': text('^([^@]*[^@ <]@[^@ >]+>?)?$'),
    trustedProxies: proxies,
    'tmp.sizeLimit': bytes,
    'service.type': { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] },
    'service.port': integer(1, 65_535),
    'service.annotations': annotations,
    'ingress.className': optionalObject,
    'ingress.annotations': annotations,
    'ingress.hosts': listOf(host),
    'ingress.tls': listOf(kubernetes('IngressTLS')),
    'gateway.annotations': annotations,
    'gateway.hostnames': listOf(host),
    'gateway.parentRefs': customResource(route, ['spec', 'parentRefs']),
    'gateway.filters': customResource(route, ['spec', 'rules', '[]', 'filters']),
    'asCode.files': mapOf('^[-._a-zA-Z0-9]+$', { type: 'string' }),
    'asCode.configMap': optionalObject,
    'asCode.existingClaim': optionalObject,
    'asCode.secret': optionalObject,
    'asCode.apiKey.existingSecret': optionalObject,
    'asCode.apiKey.secretKey': entry,
    'asCode.subPath': text('^([^/.][^/]*(/[^/.][^/]*)*)?$'),
    'asCode.resources': kubernetes('ResourceRequirements'),
    'asCode.deadlineSeconds': integer(30, 86_400),
    'backup.schedule': schedule,
    'backup.existingClaim': optionalObject,
    'backup.storageClass': optionalObject,
    'backup.size': bytes,
    'backup.keep': integer(1, 10_000),
    'backup.resources': kubernetes('ResourceRequirements'),
    'restore.file': text('^([A-Za-z0-9_][-A-Za-z0-9_.]*(/[A-Za-z0-9_][-A-Za-z0-9_.]*)*)?$'),
    'restore.existingClaim': optionalObject,
    'restore.deadlineSeconds': integer(60, 86_400),
    'networkPolicy.from': listOf(kubernetes('NetworkPolicyPeer')),
    terminationGracePeriodSeconds: integer(5, 86_400),
  },
  variables: controlPlaneVariables,
  taken: {
    PORT: 'the chart (8080)',
    HOST: 'the chart (all addresses)',
    BASE_URL: 'baseUrl',
    DATA_DIR: 'persistence',
    DATABASE_URL: 'database',
    ARTIFACTS_URL: 'artifacts',
    ENCRYPTION_KEY: 'secrets',
    BOOTSTRAP_ACCOUNT_ID: 'secrets',
    BOOTSTRAP_API_KEY: 'secrets',
    BOOTSTRAP_AGENT_KEY: 'secrets',
    TRUSTED_PROXIES: 'trustedProxies',
    OIDC_ISSUER: 'oidc.issuer',
    OIDC_CLIENT_ID: 'oidc.clientId',
    OIDC_CLIENT_SECRET: 'oidc.existingSecret',
    OIDC_ROLE_MAPPING: 'oidc.roleMapping',
    OIDC_GROUPS_CLAIM: 'oidc.groupsClaim',
    OIDC_SCOPES: 'oidc.scopes',
    OIDC_NAME: 'oidc.name',
    SMTP_URL: 'mail.existingSecret',
    MAIL_FROM: 'mail.from',
    TRACE_VIEWER_DIR: 'the image',
  },
  perLocation: [],
}
