/**
 * As much of a Kubernetes API server as helm speaks to: objects in memory that are judged by the real schemas, changed by the patches of both
 * majors of helm, and refused where they change what Kubernetes lets nobody change. No pod ever runs.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import type { Test } from 'tap'
import { type Manifest, manifestsIn } from './charts.ts'
import { schemaProblems } from './kubernetes-schemas.ts'
import { secretInProtobuf } from './secret-in-protobuf.ts'
import { httpServer } from './servers.ts'
import { strategicallyMerged } from './strategic-merge.ts'

const resources: { [groupVersion: string]: { [plural: string]: string } } = {
  v1: {
    secrets: 'Secret',
    services: 'Service',
    serviceaccounts: 'ServiceAccount',
    configmaps: 'ConfigMap',
    persistentvolumeclaims: 'PersistentVolumeClaim',
    pods: 'Pod',
  },
  'apps/v1': { deployments: 'Deployment' },
  'batch/v1': { jobs: 'Job', cronjobs: 'CronJob' },
  'policy/v1': { poddisruptionbudgets: 'PodDisruptionBudget' },
  'networking.k8s.io/v1': { networkpolicies: 'NetworkPolicy', ingresses: 'Ingress' },
  'autoscaling/v2': { horizontalpodautoscalers: 'HorizontalPodAutoscaler' },
}

const lasting = (manifest: Manifest): unknown => {
  if (manifest.kind === 'Deployment') return manifest.spec.selector
  return manifest.kind === 'PersistentVolumeClaim' ? manifest.spec.accessModes : null
}

type Answer = { code: number; body: object }
const status = (code: number, reason: string, message: string): Answer => ({
  code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code },
})
const ok = (body: object, code = 200): Answer => ({ code, body })

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Only that the server judges fields by itself: without it Helm 3 asks for the whole of OpenAPI 2. */
const described = (groupVersion: string): object => {
  const [group, version] = groupVersion.includes('/') ? groupVersion.split('/') : ['', groupVersion]
  const operation = (kind: string) => ({
    'x-kubernetes-group-version-kind': { group, version, kind },
    parameters: [{ name: 'fieldValidation', in: 'query', schema: { type: 'string' } }],
    responses: {},
  })
  const paths = Object.entries(resources[groupVersion] ?? {}).map(([plural, kind]) => [
    `/${plural}/{name}`,
    { patch: operation(kind) },
  ])
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: '1.37' },
    paths: Object.fromEntries(paths),
  }
}

const addressOf = (groupVersion: string): string =>
  groupVersion.includes('/') ? `apis/${groupVersion}` : `api/${groupVersion}`

const discovered = (pathname: string): object | null => {
  const groupVersions = Object.keys(resources).filter((name) => name.includes('/'))
  if (pathname === '/version') return { major: '1', minor: '37', gitVersion: 'v1.37.0' }
  if (pathname === '/api') return { kind: 'APIVersions', versions: ['v1'] }
  if (pathname === '/apis')
    return {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: groupVersions.map((groupVersion) => {
        const [name, version] = groupVersion.split('/')
        return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } }
      }),
    }
  if (pathname === '/openapi/v3')
    return {
      paths: Object.fromEntries(
        Object.keys(resources).map((name) => [
          addressOf(name),
          { serverRelativeURL: `/openapi/v3/${addressOf(name)}` },
        ]),
      ),
    }
  const groupVersion = pathname.replace(/^\/(openapi\/v3\/)?apis?\//, '')
  if (pathname.startsWith('/openapi/v3/')) return described(groupVersion)
  const listed = resources[groupVersion]
  if (listed === undefined) return null
  const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update']
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion,
    resources: Object.entries(listed).map(([name, kind]) => ({
      name,
      kind,
      verbs,
      namespaced: true,
      singularName: '',
    })),
  }
}

const selects = (selector: string | null, { metadata }: Manifest): boolean =>
  (selector ?? '')
    .split(',')
    .filter(Boolean)
    .every((term) => {
      const [name = '', value] = term.split('=')
      return metadata.labels?.[name] === value
    })

export type PlayedApiServer = { url: string; objects: Map<string, Manifest> }

export const playedApiServer = async (t: Test): Promise<PlayedApiServer> => {
  const objects = new Map<string, Manifest>()
  let writes = 0

  const write = (path: string, given: Manifest): Answer => {
    const before = objects.get(path)
    const problems = schemaProblems(given, '1.37')
    if (before !== undefined && !isDeepStrictEqual(lasting(before), lasting(given)))
      problems.push(`${path}: a field is immutable`)
    if (problems.length > 0) return status(422, 'Invalid', problems.join('; '))
    writes += 1
    const kept = {
      ...given,
      metadata: { ...given.metadata, resourceVersion: String(writes), uid: `uid-${path}` },
    }
    objects.set(path, kept)
    return ok(kept, before === undefined ? 201 : 200)
  }

  const patch = (path: string, type: string, text: string): Answer => {
    const before = objects.get(path)
    if (type.startsWith('application/apply-patch')) {
      const [applied] = manifestsIn(text)
      return applied === undefined ? status(400, 'BadRequest', 'no object') : write(path, applied)
    }
    if (before === undefined) return status(404, 'NotFound', `${path} not found`)
    return write(path, strategicallyMerged(before, JSON.parse(text)) as Manifest)
  }

  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const found = discovered(pathname)
    if (found !== null) return ok(found)
    const [, groupVersion = '', plural = ''] =
      /^\/apis?\/(.+)\/namespaces\/[^/]+\/([^/]+)/.exec(pathname) ?? []
    const kind = resources[groupVersion]?.[plural]
    if (kind === undefined) return status(404, 'NotFound', `${pathname} is not there`)
    const body = await bodyOf(request)
    const type = request.headers['content-type'] ?? ''
    const given = (): Manifest =>
      type.includes('protobuf') ? secretInProtobuf(body) : JSON.parse(body.toString())
    const isList = pathname.endsWith(`/${plural}`)
    if (request.method === 'POST') {
      const made = given()
      const path = `${pathname}/${made.metadata.name}`
      return objects.has(path) ? status(409, 'AlreadyExists', `${path} already exists`) : write(path, made)
    }
    if (request.method === 'GET' && isList) {
      const items = [...objects]
        .filter(
          ([path, object]) =>
            path.startsWith(`${pathname}/`) && selects(searchParams.get('labelSelector'), object),
        )
        .map(([, object]) => object)
      return ok({ kind: `${kind}List`, apiVersion: groupVersion, metadata: {}, items })
    }
    if (request.method === 'PATCH') return patch(pathname, type, body.toString())
    const object = objects.get(pathname)
    if (object === undefined) return status(404, 'NotFound', `${pathname} not found`)
    if (request.method === 'PUT') return write(pathname, given())
    if (request.method === 'DELETE') objects.delete(pathname)
    return ok(object)
  }

  const { origin } = await httpServer(t, (request, response: ServerResponse) => {
    answer(request).then(
      ({ code, body }) =>
        response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  return { url: origin, objects }
}
