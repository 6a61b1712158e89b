import type { App } from '../../platform/app.ts'
import type { ResultsTable } from '../../platform/database/tables/runs.ts'
import { completeArtifacts } from '../artifacts/queries.ts'
import { assetUrl } from './assets.ts'
import { presentResult } from './present-result.ts'
import type { CheckResult } from './schema.ts'

/** Stored results as the API shows them, with the addresses of their files. */
export const presentResults = async (app: App, rows: readonly ResultsTable[]): Promise<CheckResult[]> => {
  const results = rows.map(presentResult)
  const withFiles = rows.filter(({ doc }) => doc.includes('"artifacts":')).map(({ id }) => id)
  if (withFiles.length === 0) return results
  const files = await app.db.all(completeArtifacts, { ids: withFiles })
  const byResult = Map.groupBy(files, ({ result_id }) => result_id)
  return results.map((result) => {
    const own = byResult.get(result.id)
    if (own === undefined || result.apiCheckResult === null) return result
    const urls = own.map(({ name, type }) => ({
      type,
      url: assetUrl(app.config.baseUrl, { checkId: result.checkId, resultId: result.id, name }),
    }))
    const apiCheckResult = {
      ...result.apiCheckResult,
      jobAssets: urls.map(({ url }) => url),
      pcapDataUrl: urls.find(({ type }) => type === 'pcap')?.url ?? null,
    }
    return { ...result, apiCheckResult }
  })
}
