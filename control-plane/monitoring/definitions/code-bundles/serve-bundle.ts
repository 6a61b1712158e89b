import type { Readable } from 'node:stream'
import type { App } from '../../../platform/app/app.ts'
import type { HasArtifacts } from '../../../platform/store/artifact-store/store.ts'
import { query } from '../../../platform/store/database/query.ts'
import type { Reply } from '../../../platform/web/http/route.ts'
import { notFound } from '../../../platform/words/errors.ts'
import { serveFile } from '../../artifacts/serve-file.ts'
import { checkKinds } from '../checks/types/index.ts'
import { bundleKey } from './receive-bundle.ts'

const bundleTypes = Object.values(checkKinds).flatMap(({ type, takesBundle }) => (takesBundle ? [type] : []))

/**
 * A check may have taken up another bundle since its job was claimed: the job still runs the one that it was handed out
 * with, so it is the account that counts.
 */
const findBundleForLocation = query('find-bundle-for-location', (k, p: { id: string; location: string }) =>
  k
    .selectFrom('code_bundles as b')
    .select(['b.id', 'b.size', 'b.sha256'])
    .where('b.id', '=', p.id)
    .where('b.completed_at', 'is not', null)
    .where((of) =>
      of.exists(
        of
          .selectFrom('jobs as j')
          .select('j.id')
          .where('j.location', '=', p.location)
          .where('j.agent_id', 'is not', null)
          .where('j.check_type', 'in', bundleTypes)
          .whereRef('j.account_id', '=', 'b.account_id'),
      ),
    ),
)

type BundleRequest = {
  id: string
  location: string
  headers: Readonly<Record<string, string | undefined>>
}

/**
 * An archive, for agents of a location that have claimed a suite of its account.
 * @throws ApiError 404 for all others, or 416
 */
export const serveBundle = async (
  app: App & HasArtifacts,
  { id, location, headers }: BundleRequest,
): Promise<Reply<Readable>> => {
  const bundle = await app.db.get(findBundleForLocation, { id, location })
  if (bundle === undefined) throw notFound()
  return serveFile(app, { key: bundleKey(id), size: bundle.size, sha256: bundle.sha256 }, { headers })
}
