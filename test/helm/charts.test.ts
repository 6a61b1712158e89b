// Runs in test:all only: it renders charts dozens of times.
import t, { type Test } from 'tap'
import { chartNames, valueSets } from '../support/chart-values.ts'
import { helmWith, type Manifest, majorsInTurn, rendered } from '../support/charts.ts'
import { hasHelm, noHelm } from '../support/helm-program.ts'
import { kubernetesVersions, schemaProblems } from '../support/kubernetes-schemas.ts'
import { type PodSpec, restrictedProblems } from '../support/pod-security.ts'

const podOf = ({ kind, spec }: Manifest): PodSpec | null => {
  if (kind === 'Pod') return spec
  if (kind === 'Deployment' || kind === 'Job') return spec.template.spec
  return kind === 'CronJob' ? spec.jobTemplate.spec.template.spec : null
}

/** Services, budgets and monitors that meet no pod of the release would do nothing, silently. */
const unmetSelectors = (manifests: Manifest[]): string[] => {
  const pods = manifests
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ spec }) => spec.template.metadata.labels)
  const services = manifests.filter(({ kind }) => kind === 'Service').map(({ metadata }) => metadata.labels)
  const meets = (labels: Record<string, string>, selector: Record<string, string>): boolean =>
    Object.entries(selector).every(([name, value]) => labels[name] === value)
  return manifests.flatMap(({ kind, metadata, spec }) => {
    const selector =
      kind === 'Service' ? spec.selector : (spec?.selector?.matchLabels ?? spec?.podSelector?.matchLabels)
    if (selector === undefined || kind === 'PersistentVolumeClaim') return []
    const among = kind === 'ServiceMonitor' ? services : pods
    return among.some((labels) => meets(labels ?? {}, selector))
      ? []
      : [`${kind} ${metadata.name} selects nothing`]
  })
}

/** A mount without its volume is refused only when the pod is made. */
const unmetMounts = (pod: PodSpec): string[] => {
  const volumes = new Set((pod.volumes ?? []).map(({ name }) => name))
  return pod.containers.flatMap((container) =>
    ((container as { volumeMounts?: Array<{ name: string }> }).volumeMounts ?? [])
      .filter(({ name }) => !volumes.has(name))
      .map(({ name }) => `${container.name} mounts ${name}, which is no volume`),
  )
}

const identity = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.namespace} ${metadata.name}`

const isWhole = (t: Test, manifests: Manifest[]): void => {
  t.ok(manifests.length > 0)
  t.equal(new Set(manifests.map(identity)).size, manifests.length, 'each has a name of its own')
  for (const version of kubernetesVersions)
    t.same(
      manifests.flatMap((manifest) => schemaProblems(manifest, version)),
      [],
      `Kubernetes ${version} takes them`,
    )
  const pods = manifests.map(podOf).filter((pod) => pod !== null)
  t.same(pods.flatMap(restrictedProblems), [], 'pods meet the restricted standard')
  t.same(pods.flatMap(unmetMounts), [])
  t.same(unmetSelectors(manifests), [])
}

t.test(
  'every set of values is rendered to what Kubernetes takes',
  { skip: !hasHelm && noHelm },
  async (t) => {
    for (const chart of chartNames)
      for (const [turn, [name, values]] of Object.entries(valueSets[chart]).entries())
        t.test(`${chart}: ${name}`, async (t) => {
          for (const major of majorsInTurn(turn)) {
            const { code, stdout, stderr } = await helmWith(['lint', '--strict'], { chart, values, major })
            t.equal(code, 0, stdout + stderr)
          }
          const manifests = await rendered(chart, values, 4)
          isWhole(t, manifests)
          t.strictSame(await rendered(chart, values, 3), manifests, 'Helm 3 renders them, too')
        })
  },
)

t.test('judges of manifests find what is wrong', async (t) => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  }
  t.same(schemaProblems(pod, '1.37'), [])
  t.match(schemaProblems({ ...pod, spec: { ...pod.spec, replicaz: 1 } }, '1.37').join(), /replicaz/)
  t.match(schemaProblems({ ...pod, kind: 'Pot' }, '1.37').join(), /no schema/)
  t.same(restrictedProblems(pod.spec), [
    'c does not forbid privilege escalation',
    'c does not drop all capabilities',
    'c may run as root',
    'c has no seccomp profile',
  ])
  t.match(restrictedProblems({ ...pod.spec, volumes: [{ name: 'v', hostPath: {} }] }).join(), /volume v/)
})
