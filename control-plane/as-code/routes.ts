/** What `watchpost plan` and `watchpost apply` ask for beside the resources themselves (command/). */
import type { App } from '../platform/app/app.ts'
import type { HasCipher } from '../platform/services/secrets/cipher.ts'
import type { HasAudit } from '../platform/web/audit/audit-scope.ts'
import { type Declaration, type Route, route } from '../platform/web/http/route.ts'
import { createApiCaller } from '../platform/web/http/server/api-caller.ts'
import { toIso } from '../platform/words/shapes/instants.ts'
import { applyChanges, signaturePurpose, signedText } from './apply-changes.ts'
import type { KindName } from './kinds.ts'
import { keysOfOthers, keysOfProject } from './queries.ts'
import { Changes, ChangesDone, type CodeKey, CodeKeys, Comparison, maxChanges, Project } from './schema.ts'

const tag = 'Checks as code'
const params = { project: 'shop' }
const digest = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const megabyte = 1024 * 1024

const compare = route({
  method: 'POST',
  path: '/v1/code/:project/comparisons',
  access: 'READ_ONLY',
  tag,
  summary: 'The keys of a project, with what each has made',
  description:
    'With the digest of what files say of a key, it tells whether that is what was written last, hidden values included; only who may write is told.',
  params: Project,
  body: Comparison,
  bodyLimit: 2 * megabyte,
  status: 200,
  response: CodeKeys,
  example: { params, body: { digests: [{ kind: 'variable', key: 'SHOP_URL', digest }] } },
  handle: async ({ params: { project }, body, principal }, app: App & HasCipher) => {
    const of = { accountId: principal.accountId, project }
    const mayWrite = !['READ_ONLY', 'READ_RUN'].includes(principal.role)
    const digests = new Map(body.digests.map((one) => [`${one.kind}.${one.key}`, one.digest]))
    const rows = await app.db.all(keysOfProject, of)
    const keys = rows.map(
      ({ kind, key, resource_id: id, signature, resource_updated_at, begun_at }): CodeKey => {
        const digest = digests.get(`${kind}.${key}`)
        const text = digest === undefined ? null : signedText(of, { kind, key, digest })
        return {
          kind: kind as KindName,
          key,
          id,
          isSame:
            text === null || !mayWrite
              ? null
              : app.cipher.isSigned(Buffer.from(signature, 'base64url'), text, signaturePurpose),
          resourceUpdatedAt: resource_updated_at,
          begunAt: toIso(begun_at),
        }
      },
    )
    const others = await app.db.all(keysOfOthers, of)
    const elsewhere = others.map(({ kind, resource_id: id, project }) => ({
      kind: kind as KindName,
      id: id ?? '',
      project,
    }))
    return { keys, elsewhere }
  },
})

export const codeRoutes = (routes: () => readonly Declaration[]): Route<App & HasCipher & HasAudit>[] => {
  // Files say every list, and of a channel only those that they mean to.
  const api = createApiCaller(routes, { puts: 'changes' })
  const change = route({
    method: 'POST',
    path: '/v1/code/:project/changes',
    access: 'READ_WRITE',
    tag,
    summary: `Make up to ${maxChanges} changes of a project's resources, in their order`,
    description:
      'Each is made as its own route would make it, and stays made when a later one fails: `error` says of each what that route would have answered. An answer with fewer results than changes: the server stopped in between.',
    params: Project,
    body: Changes,
    bodyLimit: 12 * megabyte,
    rateLimit: { requests: 120, seconds: 60 },
    status: 200,
    response: ChangesDone,
    example: {
      params,
      body: {
        changes: [
          {
            action: 'create',
            kind: 'variable',
            key: 'SHOP_URL',
            digest,
            body: { key: 'SHOP_URL', value: 'https://shop.example' },
          },
        ],
      },
    },
    handle: async (input, app: App & HasCipher & HasAudit) => ({
      results: await applyChanges({
        app,
        input,
        project: input.params.project,
        changes: input.body.changes,
        api,
      }),
    }),
  })
  return [compare, change]
}
