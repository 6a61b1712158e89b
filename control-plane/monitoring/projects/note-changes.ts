import type { App } from '../../platform/app/app.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { HasAudit } from '../../platform/web/audit/audit-scope.ts'
import { insertAuditEntry } from '../../platform/web/audit/queries.ts'
import { resourceTypeOf } from '../../platform/web/audit/resource-of-route.ts'
import { nameIn, shownChange, withoutSecretFields } from '../../platform/web/audit/shown-change.ts'
import type { Noted } from './apply-resource.ts'

/**
 * An entry of the audit log for each resource that a deployment changes, beside that of the deployment: in its transaction, named
 * after the route that would have done the same.
 */
export const noteChanges =
  (app: App & Partial<HasAudit>, trx: Db) =>
  async ({ method, shape, id, before, after }: Noted): Promise<void> => {
    const whole = app.audit?.current()?.row
    if (whole === undefined) return
    const path = shape.replaceAll('/:', '/:id')
    const documents = { before: withoutSecretFields(before), after: withoutSecretFields(after) }
    await trx.run(insertAuditEntry, {
      ...whole,
      id: app.newId(),
      action: `${method} ${path}`,
      resource_type: resourceTypeOf({ method, path }),
      resource_id: id.slice(0, 200),
      resource_name: nameIn(documents.after) ?? nameIn(documents.before),
      ...shownChange(documents),
    })
  }
