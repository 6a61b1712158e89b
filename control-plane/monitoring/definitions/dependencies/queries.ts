/** All SQL about what depends on what. Checks and groups are texts here: `check:<id>`, `group:<id>`. */
import type { Db } from '../../../platform/store/database/db.ts'
import { query } from '../../../platform/store/database/query.ts'
import { rowStatement } from '../../../platform/store/database/row-statement.ts'
import type { DependenciesTable } from '../../../platform/store/database/tables/checks.ts'

type Texts = { texts: readonly string[] }

export const dependenciesOf = query('dependencies-of', (k, p: Texts, engine) =>
  k
    .selectFrom('dependencies')
    .select(['dependent', 'depends_on'])
    .where('dependent', 'in', engine.textList(p.texts)),
)

export const dependentsOn = query('dependents-on', (k, p: Texts, engine) =>
  k
    .selectFrom('dependencies')
    .select(['dependent', 'depends_on'])
    .where('depends_on', 'in', engine.textList(p.texts)),
)

/** From both ends: what these depend on, and what depends on them. */
export const dependenciesAround = query('dependencies-around', (k, p: Texts, engine) =>
  k
    .selectFrom('dependencies')
    .select(['dependent', 'depends_on'])
    .where('dependent', 'in', engine.textList(p.texts))
    .unionAll(
      k
        .selectFrom('dependencies')
        .select(['dependent', 'depends_on'])
        .where('depends_on', 'in', engine.textList(p.texts)),
    ),
)

export const dependencyRows = rowStatement({
  name: 'insert-dependency',
  table: 'dependencies',
  valuesOf: (p: DependenciesTable) => ({
    account_id: p.account_id,
    dependent: p.dependent,
    depends_on: p.depends_on,
  }),
  also: (insert) => insert.onConflict((conflict) => conflict.doNothing()),
})

export const deleteDependenciesOf = query('delete-dependencies-of', (k, p: { text: string }) =>
  k.deleteFrom('dependencies').where('dependent', '=', p.text),
)

export const deleteDependentsOn = query('delete-dependents-on', (k, p: { text: string }) =>
  k.deleteFrom('dependencies').where('depends_on', '=', p.text).returning('dependent'),
)

/** Whoever remembers what was shown of them has to look again. */
export const newVersionOfChecks = query('new-version-of-checks', (k, p: { ids: readonly string[] }, engine) =>
  k
    .updateTable('checks')
    .set((at) => ({ version: at('version', '+', 1) }))
    .where('id', 'in', engine.textList(p.ids)),
)

type Member = { id: string; group_id: number | null; name: string; activated: boolean }

/** Checks by their ids and all checks of groups. */
export const checksAmong = (
  db: Db,
  accountId: string,
  { checkIds, groupIds }: { checkIds: readonly string[]; groupIds: readonly number[] },
): Promise<Member[]> =>
  checkIds.length === 0 && groupIds.length === 0
    ? Promise.resolve([])
    : db.select((k, engine) =>
        k
          .selectFrom('checks')
          .select(['id', 'group_id', 'name', 'activated'])
          .where('account_id', '=', accountId)
          .where((at) =>
            at.or([
              at('id', 'in', engine.textList(checkIds)),
              ...(groupIds.length === 0 ? [] : [at('group_id', 'in', groupIds)]),
            ]),
          ),
      )
