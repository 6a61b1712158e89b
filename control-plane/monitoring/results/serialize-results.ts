import { protocolOf } from '../../../protocol/check-type.ts'
import type { App } from '../../platform/app/app.ts'
import { completeArtifacts } from '../artifacts/queries.ts'
import type { ResultFile } from '../definitions/checks/types/detail-reader.ts'
import { kindOf } from '../definitions/checks/types/index.ts'
import { assetUrl } from './assets.ts'
import { ownDetail } from './own-detail.ts'
import type { CheckResult } from './schema.ts'
import { serializeResult } from './serialize-result.ts'
import type { ResultWithDoc } from './stored/result.ts'

/** Stored results as the API shows them, with the addresses of their files. */
export const serializeResults = async (app: App, rows: readonly ResultWithDoc[]): Promise<CheckResult[]> => {
  const results = rows.map(serializeResult)
  const ids = rows.filter(({ doc }) => doc.includes('"artifacts":')).map(({ id }) => id)
  if (ids.length === 0) return results
  const files = await app.db.all(completeArtifacts, { ids })
  const byResult = Map.groupBy(files, ({ result_id }) => result_id)
  return results.map((result) => {
    const own = byResult.get(result.id)
    return own === undefined ? result : withFiles(result, filesOf(app, result, own))
  })
}

const filesOf = (
  app: App,
  { checkId, id: resultId }: CheckResult,
  files: ReadonlyArray<{ name: string; type: string }>,
): ResultFile[] =>
  files.map(({ name, type }) => ({
    type,
    name,
    url: assetUrl(app.config.baseUrl, { checkId, resultId, name }),
  }))

const withFiles = (result: CheckResult, files: ResultFile[]): CheckResult => {
  const { resultProperty } = protocolOf(result.checkType)
  const detail = ownDetail(result.checkType, result)
  const reader = kindOf(result.checkType).detail
  if (resultProperty === null || detail === null || reader?.withFiles === undefined) return result
  return { ...result, [resultProperty]: reader.withFiles(detail, files) }
}
