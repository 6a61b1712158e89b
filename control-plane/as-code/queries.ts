/** All SQL about the keys of files. */
import type { Db } from '../platform/store/database/db.ts'
import { query } from '../platform/store/database/query.ts'
import type { CodeKeysTable } from '../platform/store/database/tables/configuration.ts'

type OfProject = { accountId: string; project: string }
type One = OfProject & { kind: string; key: string }

export const keysOfProject = query('code-keys-of-project', (k, p: OfProject) =>
  k
    .selectFrom('code_keys')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where('project', '=', p.project)
    .orderBy('kind')
    .orderBy('key'),
)

export const keysOfOthers = query('code-keys-of-other-projects', (k, p: OfProject) =>
  k
    .selectFrom('code_keys')
    .select(['kind', 'resource_id', 'project'])
    .where('account_id', '=', p.accountId)
    .where('project', '!=', p.project)
    .where('resource_id', 'is not', null)
    .orderBy('kind')
    .orderBy('resource_id'),
)

const keyCount = query('count-code-keys', (k, p: { accountId: string }) =>
  k
    .selectFrom('code_keys')
    .select((e) => e.fn.countAll<number | string>().as('count'))
    .where('account_id', '=', p.accountId),
)

const keyCountOfProject = query('count-code-keys-of-project', (k, p: OfProject) =>
  k
    .selectFrom('code_keys')
    .select((e) => e.fn.countAll<number | string>().as('count'))
    .where('account_id', '=', p.accountId)
    .where('project', '=', p.project),
)

export const countKeys = async (db: Db, of: OfProject): Promise<{ ofAccount: number; ofProject: number }> => {
  const ofAccount = await db.get(keyCount, { accountId: of.accountId })
  const ofProject = await db.get(keyCountOfProject, of)
  return { ofAccount: Number(ofAccount?.count ?? 0), ofProject: Number(ofProject?.count ?? 0) }
}

/** Nothing happens where the key, or the key of the same resource, is there. */
export const insertKey = query('insert-code-key', (k, row: CodeKeysTable) =>
  k
    .insertInto('code_keys')
    .values({
      account_id: row.account_id,
      project: row.project,
      kind: row.kind,
      key: row.key,
      resource_id: row.resource_id,
      signature: row.signature,
      resource_updated_at: row.resource_updated_at,
      begun_at: row.begun_at,
    })
    .onConflict((conflict) => conflict.doNothing()),
)

export const writeKey = query(
  'write-code-key',
  (k, p: One & Pick<CodeKeysTable, 'resource_id' | 'signature' | 'resource_updated_at'>) =>
    k
      .updateTable('code_keys')
      .set({ resource_id: p.resource_id, signature: p.signature, resource_updated_at: p.resource_updated_at })
      .where('account_id', '=', p.accountId)
      .where('project', '=', p.project)
      .where('kind', '=', p.kind)
      .where('key', '=', p.key),
)

export const deleteKey = query('delete-code-key', (k, p: One) =>
  k
    .deleteFrom('code_keys')
    .where('account_id', '=', p.accountId)
    .where('project', '=', p.project)
    .where('kind', '=', p.kind)
    .where('key', '=', p.key),
)

export const ownerOfResource = query(
  'owner-of-code-resource',
  (k, p: { accountId: string; kind: string; resourceId: string }) =>
    k
      .selectFrom('code_keys')
      .select(['project', 'key'])
      .where('account_id', '=', p.accountId)
      .where('kind', '=', p.kind)
      .where('resource_id', '=', p.resourceId),
)
