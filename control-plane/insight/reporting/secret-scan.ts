/** Credentials that stand in settings where everybody of the account can read them: looked for when somebody asks, kept nowhere. */
import { type Static, Type } from 'typebox'
import { checkTypes } from '../../../protocol/check-type.ts'
import { listSnippets } from '../../access/snippets/queries.ts'
import { readVariables } from '../../access/variables/sealed-value.ts'
import { listGroups } from '../../monitoring/definitions/check-groups/queries.ts'
import { groupDoc } from '../../monitoring/definitions/check-groups/schema.ts'
import { checkDoc } from '../../monitoring/definitions/checks/check-doc.ts'
import type { App } from '../../platform/app/app.ts'
import { type LongRead, longRead } from '../../platform/long-reads/long-read.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { route } from '../../platform/web/http/route.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { findSecrets } from './find-secrets.ts'
import { checksForReport } from './queries.ts'

const Finding = Type.Object(
  {
    entityType: Type.Enum(['CHECK', 'CHECK_GROUP', 'SNIPPET', 'ENVIRONMENT_VARIABLE']),
    entityId: Type.String({ description: 'Of variables the key' }),
    entityName: Type.String(),
    checkType: nullable(Type.Enum([...checkTypes])),
    project: Type.Null({ description: 'Not looked up' }),
    logicalId: Type.Null({ description: 'Not looked up' }),
    fieldPath: Type.String({ examples: ['request.headers[2].value'] }),
    fieldKey: nullable(Type.String(), { description: 'Of a header, a parameter or a variable' }),
    valuePreview: Type.String({ description: 'An eighth of what was found, at most' }),
  },
  { title: 'SecretScanFinding' },
)
type Finding = Static<typeof Finding>

const mostFindings = 1000
/** Documents and scripts in memory at once. */
const atOnce = 20

type Entity = Pick<Finding, 'entityType' | 'entityId' | 'entityName'> & {
  checkType?: string | null
  settings: unknown
}

const findingsIn = ({ settings, checkType = null, ...entity }: Entity): Finding[] =>
  findSecrets(settings).map((found) => ({
    ...entity,
    ...{ checkType: checkType as Finding['checkType'], project: null, logicalId: null },
    ...found,
  }))

type Scanned = { app: App & HasCipher; accountId: string }

async function* checksOf({ app, accountId }: Scanned, { piece }: LongRead): AsyncGenerator<Finding[]> {
  let last: { created_at: number; id: string } | undefined = { created_at: -1, id: '' }
  while (last !== undefined) {
    const place = { accountId, afterAt: last.created_at, afterId: last.id, limit: atOnce }
    const rows: readonly CheckRow[] = await piece(() => app.db.all(checksForReport, place))
    yield rows.flatMap(({ id, name, type, doc }) =>
      findingsIn({
        ...{ entityType: 'CHECK', entityId: id, entityName: name, checkType: type },
        settings: checkDoc.read(doc),
      }),
    )
    last = rows.length < atOnce ? undefined : rows.at(-1)
  }
}

type CheckRow = { id: string; name: string; type: string; created_at: number; doc: string }

async function* groupsOf({ app, accountId }: Scanned, { piece }: LongRead): AsyncGenerator<Finding[]> {
  for (let offset = 0, more = true; more; offset += atOnce) {
    const rows = await piece(() => listGroups(app.db, { accountId }, { limit: atOnce, offset }))
    yield rows.flatMap(({ id, name, doc }) =>
      findingsIn({
        ...{ entityType: 'CHECK_GROUP', entityId: String(id), entityName: name },
        settings: groupDoc.read(doc),
      }),
    )
    more = rows.length === atOnce
  }
}

async function* snippetsOf({ app, accountId }: Scanned, { piece }: LongRead): AsyncGenerator<Finding[]> {
  for (let offset = 0, more = true; more; offset += atOnce) {
    const rows = await piece(() => app.db.all(listSnippets, { accountId, limit: atOnce, offset }))
    yield rows.flatMap(({ id, name, script }) =>
      findingsIn({
        ...{ entityType: 'SNIPPET', entityId: String(id), entityName: name },
        settings: { script },
      }),
    )
    more = rows.length === atOnce
  }
}

async function* variablesOf({ app, accountId }: Scanned, { piece }: LongRead): AsyncGenerator<Finding[]> {
  const variables = await piece(() => readVariables(app.db, app.cipher, [accountId]))
  for (const { key, value, isHidden } of variables.get(accountId) ?? [])
    if (!isHidden)
      yield findingsIn({
        ...{ entityType: 'ENVIRONMENT_VARIABLE', entityId: key, entityName: key },
        settings: { value },
      }).map((found) => ({ ...found, fieldKey: key }))
}

export const secretScanRoute = route({
  method: 'GET',
  path: '/v1/secret-scans',
  access: 'READ_WRITE',
  tag: 'Variables',
  mayLag: true,
  summary: 'Values that look like credentials and that everybody of the account can read',
  description:
    'In the settings and scripts of checks and groups, in snippets and in variables: tokens of well-known services, private keys, passwords in ' +
    'addresses, and what `Authorization` is set to. What is locked or secret is not looked at; files of scripts and channels are not either. ' +
    `At most ${mostFindings} findings; the values themselves are in none.`,
  status: 200,
  response: Type.Array(Finding),
  rateLimit: { requests: 10, seconds: 60 },
  handle: ({ principal: { accountId }, signal }, app: App & HasCipher) =>
    longRead(app, { accountId, signal }, async (reading) => {
      const findings: Finding[] = []
      for (const scan of [checksOf, groupsOf, snippetsOf, variablesOf])
        for await (const found of scan({ app, accountId }, reading)) {
          findings.push(...found)
          if (findings.length >= mostFindings) return findings.slice(0, mostFindings)
        }
      return findings
    }),
})
