/**
 * Import plans: planned (nothing happens), applied (the project knows the resources by logical ids and changes them, but never
 * deletes them), committed (they are members like all others) or cancelled, which leaves them as they are.
 */
import type { App } from '../../platform/app/app.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { runForRows } from '../../platform/store/database/row-statement.ts'
import type { ProjectImportsTable, ProjectsTable } from '../../platform/store/database/tables/projects.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import { toIso } from '../../platform/words/shapes/instants.ts'
import {
  commitResource,
  deleteImport,
  importsOfAccount,
  insertImport,
  lockImport,
  markImportApplied,
  ownedResources,
  touchProject,
  unlinkResource,
} from './import-queries.ts'
import { projectResourceRows } from './queries.ts'
import { linkTypes } from './resource-types.ts'
import { type ImportPlan, importDoc, maxImports, type PlannedResource } from './schema.ts'

type Key = { id: string; accountId: string }

export const serializeImport = (row: ProjectImportsTable): ImportPlan => ({
  id: row.id,
  createdAt: toIso(row.created_at),
  ...(row.applied_at === null ? {} : { appliedAt: toIso(row.applied_at) }),
})

type Planning = { project: ProjectsTable; resources: readonly PlannedResource[] }

/** @throws ApiError 413 */
export const planImport = (app: App, { project, resources }: Planning): Promise<ProjectImportsTable> => {
  const links = new Set<string>(linkTypes)
  const named = resources
    .filter(({ type }) => !links.has(type))
    .map(({ type, logicalId, physicalId }) => ({ type, logicalId, physicalId: String(physicalId) }))
  const row: ProjectImportsTable = {
    ...{ id: app.newId(), account_id: project.account_id, project_id: project.id },
    ...{ created_at: app.clock.now(), applied_at: null, committed_at: null },
    doc: importDoc.write({ resources: named }),
  }
  return app.db.transaction(async (trx) => {
    const others = await trx.all(importsOfAccount, { accountId: project.account_id })
    if (others.length >= maxImports)
      throw new ApiError(413, `The account has ${maxImports} import plans: commit or cancel some first`)
    await trx.run(insertImport, row)
    return row
  })
}

/** @throws ApiError 404 */
const locked = async (trx: Db, key: Key): Promise<ProjectImportsTable> => {
  const row = await trx.get(lockImport, key)
  if (!row) throw notFound()
  await trx.get(touchProject, { id: row.project_id })
  return row
}

/** Once: again it is as it was. @throws ApiError 404, 409 where another project has one of them */
export const applyImport = (app: App, key: Key): Promise<ImportPlan> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    const row = await locked(trx, key)
    if (row.applied_at !== null) return serializeImport(row)
    const { resources } = importDoc.read(row.doc)
    const rows = await trx.all(ownedResources, { accountId: key.accountId })
    const owned = new Set(rows.map(({ type, physical_id }) => `${type} ${physical_id}`))
    const taken = resources.find(({ type, physicalId }) => owned.has(`${type} ${physicalId}`))
    if (taken !== undefined)
      throw new ApiError(409, `A project has ${taken.type} ${taken.physicalId} already: cancel the plan`)
    await runForRows(
      trx,
      projectResourceRows,
      resources.map(({ type, logicalId, physicalId }) => ({
        ...{ project_id: row.project_id, account_id: key.accountId, type },
        ...{ logical_id: logicalId, physical_id: physicalId, kind: 'imported' },
      })),
    )
    await trx.run(markImportApplied, { id: row.id, now })
    return serializeImport({ ...row, applied_at: now })
  })
}

/** @throws ApiError 403 out of order, 404 */
export const commitImport = (app: App, key: Key): Promise<ImportPlan> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    const row = await locked(trx, key)
    if (row.applied_at === null) throw new ApiError(403, 'The plan has to be applied first')
    for (const { type, logicalId } of importDoc.read(row.doc).resources)
      await trx.run(commitResource, { projectId: row.project_id, type, logicalId })
    // Its resources are the project's from here on: nothing is left to know.
    await trx.run(deleteImport, { id: row.id })
    return { ...serializeImport(row), committedAt: toIso(now) }
  })
}

/** @throws ApiError 404 */
export const cancelImport = (app: App, key: Key): Promise<void> =>
  app.db.transaction(async (trx) => {
    const row = await locked(trx, key)
    for (const { type, logicalId } of importDoc.read(row.doc).resources)
      await trx.run(unlinkResource, { projectId: row.project_id, type, logicalId })
    await trx.run(deleteImport, { id: row.id })
  })
