import type { Readable } from 'node:stream'
import { bundleTicketHeader } from '../../../../protocol/checks/playwright-spec.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { HasArtifacts } from '../../../platform/store/artifact-store/store.ts'
import { query } from '../../../platform/store/database/query.ts'
import type { Reply } from '../../../platform/web/http/route.ts'
import { notFound } from '../../../platform/words/errors.ts'
import { serveFile } from '../../artifacts/serve-file.ts'
import { leaseOfTicket } from './bundle-ticket.ts'
import { bundleKey } from './receive-bundle.ts'

/**
 * A check may have taken up another bundle since its job was claimed: the job still runs the one that it was handed out
 * with, which its ticket names.
 */
const findBundleOfLease = query(
  'find-bundle-of-lease',
  (k, p: { id: string; location: string; jobId: string; fence: number }) =>
    k
      .selectFrom('code_bundles as b')
      .innerJoin('jobs as j', 'j.account_id', 'b.account_id')
      .select(['b.id', 'b.size', 'b.sha256'])
      .where('b.id', '=', p.id)
      .where('b.completed_at', 'is not', null)
      .where('j.id', '=', p.jobId)
      .where('j.fence', '=', p.fence)
      .where('j.location', '=', p.location)
      .where('j.agent_id', 'is not', null),
)

type BundleRequest = {
  id: string
  location: string
  headers: Readonly<Record<string, string | undefined>>
}

/**
 * An archive, for the agent that holds a job which was handed out with it.
 * @throws ApiError 404 for all others, or 416
 */
export const serveBundle = async (
  app: App & HasArtifacts & HasCipher,
  { id, location, headers }: BundleRequest,
): Promise<Reply<Readable>> => {
  const lease = leaseOfTicket(app.cipher, headers[bundleTicketHeader] ?? '', id)
  const bundle = lease === null ? undefined : await app.db.get(findBundleOfLease, { id, location, ...lease })
  if (bundle === undefined) throw notFound()
  return serveFile(app, { key: bundleKey(id), size: bundle.size, sha256: bundle.sha256 }, { headers })
}
