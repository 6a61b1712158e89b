import { parseNetwork } from '../../../protocol/networks/network-list.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasDomainRecords } from '../../platform/services/outgoing/domain-records.ts'
import type { HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type {
  StatusPagePublicationsTable,
  StatusPagesTable,
} from '../../platform/store/database/tables/status-pages.ts'
import { invalid, notFound, violation } from '../../platform/words/errors.ts'
import { toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { publicationDoc } from '../stored-pages/publication-doc.ts'
import { findPage, lockPage } from '../stored-pages/queries.ts'
import { checkDomain, emptyPublication, isProven, recordsOf } from './domain-proof.ts'
import { hashPassword } from './page-password.ts'
import { findPublication, savePublication } from './publication-queries.ts'
import type { Publication, PublicationChanges } from './publication-schema.ts'

type OnePage = { id: string; accountId: string }

const findOwn = async (app: App, one: OnePage): Promise<StatusPagesTable> => {
  const page = await app.db.get(findPage, one)
  if (!page) throw notFound()
  return page
}

/** @throws ApiError 404 */
export const readPublication = async (app: App, one: OnePage): Promise<Publication> => {
  const page = await findOwn(app, one)
  return present(app, page, await app.db.get(findPublication, { pageId: page.id }))
}

/** @throws ApiError 400, 404 */
export const changePublication = async (
  app: App & HasRandomBytes,
  one: OnePage,
  { password, ...changes }: PublicationChanges,
): Promise<Publication> => {
  requireNetworks(changes.allowedNetworks ?? [])
  const hash =
    typeof password === 'string'
      ? await hashPassword(app, { password, address: '', known: one.accountId })
      : password
  const now = app.clock.now()
  const saved = await app.db.transaction(async (trx) => {
    const page = await trx.get(lockPage, one)
    if (!page) throw notFound()
    const before = (await trx.get(findPublication, { pageId: page.id })) ?? emptyPublication(page, now)
    const row = {
      ...before,
      password_hash: hash === undefined ? before.password_hash : hash,
      // Pages in memory know by it that something was changed.
      updated_at: Math.max(now, before.updated_at + 1),
      doc: publicationDoc.write({ ...publicationDoc.read(before.doc), ...changes }),
    }
    await trx.run(savePublication, row)
    return { page, row }
  })
  return present(app, saved.page, saved.row)
}

/** Looks into the DNS now. @throws ApiError 404 */
export const checkDomainOf = async (app: App & HasDomainRecords, one: OnePage): Promise<Publication> => {
  await checkDomain(app, await findOwn(app, one))
  return readPublication(app, one)
}

const requireNetworks = (networks: readonly string[]): void => {
  const violations = networks.flatMap((text, index) =>
    parseNetwork(text) === null
      ? [violation(`allowedNetworks.${index}`, 'network', 'is not a network such as 192.0.2.0/24')]
      : [],
  )
  if (violations.length > 0) throw invalid(violations)
}

const present = (
  app: App,
  page: StatusPagesTable,
  row: StatusPagePublicationsTable | undefined,
): Publication => {
  const { custom_domain: name } = page
  const known = row?.domain === name ? row : undefined
  return {
    ...publicationDoc.read(row?.doc ?? '{}'),
    hasPassword: (row?.password_hash ?? null) !== null,
    domain:
      name === null
        ? null
        : {
            name,
            isProven: isProven(page, row, app.clock.now()),
            checkedAt: toIsoOrNull(known?.domain_checked_at ?? null),
            records: recordsOf(page, name, app.config.baseUrl),
          },
  }
}
