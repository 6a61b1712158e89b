import { query } from '../../../platform/store/database/query.ts'

export const checksById = query('checks-by-id', (k, p: { ids: readonly string[] }, engine) =>
  k
    .selectFrom('checks')
    .select(['id', 'account_id', 'type', 'group_id', 'name', 'version', 'doc'])
    .where('id', 'in', engine.textList(p.ids)),
)

/** What the intake reads of checks at every run; `unwell`: the id of one with an alert state. */
export const runningChecks = query('running-checks', (k, p: { ids: readonly string[] }, engine) =>
  k
    .selectFrom('checks as c')
    .leftJoin('alert_states as a', 'a.check_id', 'c.id')
    .select(['c.id', 'c.name', 'c.group_id', 'c.version', 'a.check_id as unwell'])
    .where('c.id', 'in', engine.textList(p.ids)),
)

export const docsOfChecks = query('docs-of-checks', (k, p: { ids: readonly string[] }, engine) =>
  k.selectFrom('checks').select(['id', 'version', 'doc']).where('id', 'in', engine.textList(p.ids)),
)
