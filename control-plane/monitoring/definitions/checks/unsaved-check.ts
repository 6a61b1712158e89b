import type { CheckType } from '../../../../protocol/check-type.ts'
import type { App } from '../../../platform/app/app.ts'
import type { CheckDoc, CheckFile } from './check-doc.ts'
import { type CheckBody, completed, parts, requireValid } from './save-check.ts'

type Unsaved = { id: string; accountId: string; type: CheckType; body: CheckBody }

/** A check by the rules of those that are saved, which nobody saves. It has no group. @throws ApiError 400 */
export const unsavedCheck = async (
  app: App,
  { id, accountId, type, body }: Unsaved,
): Promise<{ doc: CheckDoc; files: CheckFile[] }> => {
  const { doc: given, files } = parts(type, body)
  const doc = completed(app, type, { id, given: given as CheckDoc, before: null })
  const now = app.clock.now()
  const groups = new Map<number | null, never>()
  await requireValid(app.db, { id, accountId, type, doc, files, sent: body, groups, now })
  return { doc, files: files ?? [] }
}
