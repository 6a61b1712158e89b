import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { StatusPageRulesTable } from '../../platform/store/database/tables/incident-automation.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import { cursorPage, cursorParameters, positionOf } from '../../platform/words/shapes/cursor.ts'
import { always, recordNames } from '../../platform/words/shapes/ignored-names.ts'
import { toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { ruleDoc } from '../incidents/automation-rule.ts'
import {
  countRules,
  deleteRule,
  findRule,
  insertRule,
  lockRule,
  rulesOfPage,
  updateRule,
} from '../incidents/rule-queries.ts'
import { StatusPageId } from '../stored-pages/page-doc.ts'
import { lockPage } from '../stored-pages/queries.ts'
import { readComponents } from './components.ts'
import { requireComponents, requirePage } from './incidents.ts'
import {
  type AutomationRule,
  AutomationRulePage,
  AutomationRule as AutomationRuleSchema,
  exampleNewRule,
  exampleRule,
  NewRule,
  RuleId,
  ruleDefaults,
} from './rule-schema.ts'

const tag = 'Status pages, version 3'
const all = '/v3/status-pages/:statusPageId/automation-rules'
const one = `${all}/:ruleId` as const
const allExample = { statusPageId: exampleRule.statusPageId }
const oneExample = { ...allExample, ruleId: exampleRule.id }
const ignored = [...recordNames, ...always('statusPageId')]

/** Of an account. */
const mostRules = 500

/** Components that have left the page are not shown: what is read can be sent back. */
const present = (row: StatusPageRulesTable, onPage: ReadonlySet<string>): AutomationRule => {
  const { components, ...doc } = ruleDoc.read(row.doc)
  return {
    ...{ id: row.id, statusPageId: row.status_page_id, ...doc },
    components: components.filter(({ componentId }) => onPage.has(componentId)),
    ...{ created_at: toIso(row.created_at), updated_at: toIsoOrNull(row.updated_at) },
  }
}

const idsOnPage = async (db: Db, pageId: string): Promise<ReadonlySet<string>> =>
  new Set((await readComponents(db, pageId.toLowerCase())).map(({ id }) => id))

const docOf = (body: NewRule): string => ruleDoc.write({ ...ruleDefaults, ...body })

type OneRule = { pageId: string; ruleId: string; accountId: string }

/** @throws ApiError 404 */
const ruleOf = async (
  db: Db,
  { pageId, ruleId, accountId }: OneRule,
  find = findRule,
): Promise<StatusPageRulesTable> => {
  const row = await db.get(find, { id: ruleId.toLowerCase(), accountId })
  if (row?.status_page_id !== pageId.toLowerCase()) throw notFound()
  return row
}

const list = route({
  method: 'GET',
  path: all,
  access: 'READ_ONLY',
  tag,
  summary: 'List the automation rules of a page, newest first',
  params: StatusPageId,
  query: Type.Object(cursorParameters, { additionalProperties: false }),
  status: 200,
  response: AutomationRulePage,
  example: { params: allExample, response: { length: 1, entries: [exampleRule], nextId: null } },
  handle: async (
    { params: { statusPageId: pageId }, query: { limit, nextId }, principal: { accountId } },
    app,
  ) => {
    await requirePage(app.db, { pageId, accountId })
    const after = positionOf(nextId)
    const rows = (await app.db.all(rulesOfPage, { pageId, accountId })).filter(
      ({ created_at: at, id }) =>
        after === undefined || at < after.createdAt || (at === after.createdAt && id < after.id),
    )
    const page = cursorPage(rows, limit)
    const onPage = await idsOnPage(app.db, pageId)
    const entries = page.rows.map((row) => present(row, onPage))
    return { length: entries.length, entries, nextId: page.nextId }
  },
})

const create = route({
  method: 'POST',
  path: all,
  access: 'READ_WRITE',
  tag,
  summary: 'Create an automation rule of a page',
  description:
    'When people are told that a check with one of its tags is failing, an incident is opened on the page; it is resolved when the last such check has recovered.',
  params: StatusPageId,
  body: NewRule,
  ignores: ignored,
  status: 201,
  otherStatuses: { 409: 'The account has too many rules' },
  response: AutomationRuleSchema,
  example: { params: allExample, body: exampleNewRule, response: exampleRule },
  handle: async ({ params: { statusPageId }, body, principal: { accountId } }, app) => {
    const row: StatusPageRulesTable = {
      ...{ id: app.newId(), account_id: accountId, status_page_id: statusPageId.toLowerCase() },
      ...{ incident_id: null, created_at: app.clock.now(), updated_at: null, doc: docOf(body) },
    }
    return app.db.transaction(async (trx) => {
      if (!(await trx.get(lockPage, { id: row.status_page_id, accountId }))) throw notFound()
      if ((await countRules(trx, accountId)) >= mostRules)
        throw new ApiError(409, `An account has at most ${mostRules} automation rules`)
      return written(trx, row, body, insertRule)
    })
  },
})

const written = async (
  trx: Db,
  row: StatusPageRulesTable,
  { components: named = [] }: NewRule,
  write: typeof insertRule,
): Promise<AutomationRule> => {
  await requireComponents(trx, row.status_page_id, { named, isOnce: true, list: 'components' })
  await trx.run(write, row)
  return present(row, await idsOnPage(trx, row.status_page_id))
}

const read = route({
  method: 'GET',
  path: one,
  access: 'READ_ONLY',
  tag,
  summary: 'One automation rule of a page',
  params: RuleId,
  status: 200,
  response: AutomationRuleSchema,
  example: { params: oneExample, response: exampleRule },
  handle: async ({ params: { statusPageId: pageId, ruleId }, principal: { accountId } }, app) =>
    present(await ruleOf(app.db, { pageId, ruleId, accountId }), await idsOnPage(app.db, pageId)),
})

const update = route({
  method: 'PUT',
  path: one,
  access: 'READ_WRITE',
  tag,
  summary: 'Replace an automation rule of a page',
  description:
    'What is left out has its default again. An incident that is open stays as it is; what the rule then says last resolves it.',
  params: RuleId,
  body: NewRule,
  ignores: ignored,
  status: 200,
  response: AutomationRuleSchema,
  example: { params: oneExample, body: exampleNewRule, response: exampleRule },
  handle: async ({ params: { statusPageId: pageId, ruleId }, body, principal: { accountId } }, app: App) => {
    const updated_at = app.clock.now()
    return app.db.transaction(async (trx) => {
      const before = await ruleOf(trx, { pageId, ruleId, accountId }, lockRule)
      return written(trx, { ...before, updated_at, doc: docOf(body) }, body, updateRule)
    })
  },
})

const remove = route({
  method: 'DELETE',
  path: one,
  access: 'READ_WRITE',
  tag,
  summary: 'Delete an automation rule of a page',
  description: 'An incident that it opened stays, and is resolved when its checks have recovered.',
  params: RuleId,
  status: 204,
  example: { params: oneExample },
  handle: async ({ params: { statusPageId: pageId, ruleId }, principal: { accountId } }, app: App) => {
    const { id } = await ruleOf(app.db, { pageId, ruleId, accountId })
    if ((await app.db.run(deleteRule, { id, accountId })) === 0) throw notFound()
  },
})

export const automationRuleRoutes: Route<App>[] = [list, create, read, update, remove]
