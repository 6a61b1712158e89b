/**
 * What a check or check group refers to must exist in its account, and stays until the transaction ends: whoever deletes
 * it meanwhile waits, and then finds the reference.
 */
import type { Violation } from '../../../../protocol/validate.ts'
import { shareSnippets } from '../../../access/snippets/queries.ts'
import { holdChannels } from '../../../alerting/alert-channels/subscription-queries.ts'
import { shareServices } from '../../../communication/status-page-services/queries.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { violation } from '../../../platform/words/errors.ts'
import { sharePrivateLocations } from '../../locations/queries.ts'
import type { RunLocation } from '../../schedule/plan-slots.ts'
import { findCertificate } from '../client-certificates/queries.ts'

/** Only what was sent: a reference that was valid when it was written is not looked at again. */
export type References = {
  privateLocations?: string[] | null
  alertChannelSubscriptions?: Array<{ alertChannelId: number }>
  setupSnippetId?: number | null
  tearDownSnippetId?: number | null
  triggerIncident?: { serviceId: string } | null
  request?: unknown
}

export const referenceViolations = async (
  trx: Db,
  accountId: string,
  sent: References,
): Promise<Violation[]> => [
  ...(await channelViolations(trx, accountId, sent.alertChannelSubscriptions ?? [])),
  ...(await locationViolations(trx, accountId, sent.privateLocations ?? [])),
  ...(await snippetViolations(trx, accountId, sent)),
  ...(await serviceViolations(trx, accountId, sent.triggerIncident ?? null)),
  ...(await certificateViolations(trx, accountId, sent.request)),
]

const channelViolations = async (
  trx: Db,
  accountId: string,
  subscriptions: Array<{ alertChannelId: number }>,
): Promise<Violation[]> => {
  if (subscriptions.length === 0) return []
  const known = new Set((await trx.all(holdChannels, { accountId })).map(({ id }) => id))
  return subscriptions.flatMap(({ alertChannelId }, position) =>
    known.has(alertChannelId)
      ? []
      : [
          violation(
            `alertChannelSubscriptions.${position}.alertChannelId`,
            'exists',
            `names an alert channel that does not exist: ${alertChannelId}`,
          ),
        ],
  )
}

const locationViolations = async (trx: Db, accountId: string, slugs: string[]): Promise<Violation[]> => {
  const known = await locationIds(trx, accountId, slugs)
  return slugs
    .filter((slug) => !known.has(slug))
    .map((slug) =>
      violation('privateLocations', 'exists', `names a private location that does not exist: ${slug}`),
    )
}

const snippetViolations = async (trx: Db, accountId: string, sent: References): Promise<Violation[]> => {
  const named = (['setupSnippetId', 'tearDownSnippetId'] as const).flatMap((field) => {
    const id = sent[field]
    return id === null || id === undefined ? [] : [{ field, id }]
  })
  const ids = named.map(({ id }) => id)
  const known = new Set((await shareSnippets(trx, accountId, ids)).map(({ id }) => id))
  return named.flatMap(({ field, id }) =>
    known.has(id) ? [] : [violation(field, 'exists', `names a snippet that does not exist: ${id}`)],
  )
}

const serviceViolations = async (
  trx: Db,
  accountId: string,
  incident: { serviceId: string } | null,
): Promise<Violation[]> => {
  if (incident === null) return []
  const { serviceId } = incident
  const found = await trx.all(shareServices, { accountId, ids: [serviceId] })
  return found.length > 0
    ? []
    : [violation('triggerIncident.serviceId', 'exists', `names a service that does not exist: ${serviceId}`)]
}

const certificateViolations = async (trx: Db, accountId: string, request: unknown): Promise<Violation[]> => {
  const { sslClientCertificateId: id } = (request ?? {}) as { sslClientCertificateId?: string | null }
  if (typeof id !== 'string' || (await trx.get(findCertificate, { accountId, id }))) return []
  return [
    violation(
      'request.sslClientCertificateId',
      'exists',
      `names a client certificate that does not exist: ${id}`,
    ),
  ]
}

const locationIds = async (trx: Db, accountId: string, slugs: string[]): Promise<Map<string, string>> => {
  if (slugs.length === 0) return new Map()
  const found = await trx.all(sharePrivateLocations, { accountId, slugs })
  return new Map(found.map(({ id, slug }) => [slug, id]))
}

type Places = { locations: string[] | null; privateLocations: string[] | null }

/** Where a check runs, in its order: public, then private. */
export const runLocations = async (
  trx: Db,
  accountId: string,
  { locations, privateLocations }: Places,
): Promise<RunLocation[]> => {
  const slugs = privateLocations ?? []
  const ids = await locationIds(trx, accountId, slugs)
  return [
    ...(locations ?? []).map((code) => ({ id: code, name: code })),
    ...slugs.flatMap((slug) => {
      const id = ids.get(slug)
      return id === undefined ? [] : [{ id, name: slug }]
    }),
  ]
}
