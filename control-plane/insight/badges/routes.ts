/**
 * Badges: the status of a check or group as a picture for pages that anybody reads. They need no key, so they are there
 * only when the account enabled them, and show a name and a status, and the response time where the address asks for it.
 */
import { Type } from 'typebox'
import { accountDoc } from '../../access/accounts/account-doc.ts'
import type { App } from '../../platform/app/app.ts'
import { type Reply, type Route, reply, route } from '../../platform/web/http/route.ts'
import { instantInWords } from '../../platform/words/dates.ts'
import { notFound } from '../../platform/words/errors.ts'
import { type Badge, type BadgeStatus, badgeStyles, badgeSvg, badgeThemes } from './badge-svg.ts'
import { checkForBadge, groupForBadge, latestResponseTime, membersForBadge } from './queries.ts'

const tag = 'Badges'
const description =
  'Needs no key. 404 until the account enables badges (`settings.badgesEnabled`). Shows the name and the status only.'

const Look = Type.Object(
  {
    style: Type.Enum([...badgeStyles], { default: 'flat' }),
    theme: Type.Enum([...badgeThemes], { default: 'default' }),
    responseTime: Type.Boolean({ default: false, description: 'Adds the response time of the latest run' }),
  },
  { additionalProperties: false },
)

type Member = { activated: boolean; state: string | null; stale_since: number | null }

/** The worst of what is active. */
const statusOf = (members: Member[]): BadgeStatus => {
  if (members.length > 0 && members.every(({ activated }) => !activated)) return 'paused'
  const states = new Set(members.filter(({ activated }) => activated).map(({ state }) => state))
  const worst = (['failing', 'degraded', 'stale', 'unknown', 'passing'] as const).find((state) =>
    states.has(state),
  )
  return worst ?? 'no data'
}

/** Since when the first of them has said nothing. */
const wordOf = (status: BadgeStatus, members: Member[]): { word?: string } => {
  if (status !== 'stale') return {}
  const since = members.flatMap(({ activated, stale_since }) => (activated ? (stale_since ?? []) : []))
  return { word: `stale since ${instantInWords(Math.min(...since))}` }
}

const requireEnabled = (account: string): void => {
  if (!accountDoc.read(account).settings.badgesEnabled) throw notFound()
}

/** Short-lived, and harmless where somebody opens it as a document. */
const picture = (badge: Badge): Reply<string> =>
  reply(badgeSvg(badge), {
    headers: {
      'cache-control': 'public, max-age=60',
      'content-security-policy': "default-src 'none'",
      'x-content-type-options': 'nosniff',
    },
  })

const responseTimeOf = async (app: App, checkIds: string[], wanted: boolean): Promise<number | null> => {
  if (!wanted) return null
  return latestResponseTime(app.db, checkIds)
}

const example =
  '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="20" role="img" aria-label="Home page: passing"/>'

const ofCheck = route({
  method: 'GET',
  path: '/v1/badges/checks/:checkId',
  access: 'PUBLIC',
  tag,
  mayLag: true,
  summary: "A check's status as a picture",
  description,
  params: Type.Object({ checkId: Type.String({ format: 'uuid' }) }),
  query: Look,
  status: 200,
  responseType: 'image/svg+xml',
  response: Type.String(),
  example: {
    params: { checkId: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11' },
    query: { style: 'flat' },
    response: example,
  },
  handle: async ({ params, query: { style, theme, responseTime } }, app) => {
    const check = await app.db.get(checkForBadge, { checkId: params.checkId.toLowerCase() })
    if (!check) throw notFound()
    requireEnabled(check.account)
    const status = statusOf([check])
    return picture({
      label: check.name,
      status,
      ...wordOf(status, [check]),
      responseTime: await responseTimeOf(app, [check.id], responseTime),
      style,
      theme,
    })
  },
})

const ofGroup = route({
  method: 'GET',
  path: '/v1/badges/groups/:groupId',
  access: 'PUBLIC',
  tag,
  mayLag: true,
  summary: "A check group's status as a picture",
  description: `${description} The status is the worst of the group's active checks, the response time their average.`,
  params: Type.Object({ groupId: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) }),
  query: Look,
  status: 200,
  responseType: 'image/svg+xml',
  response: Type.String(),
  example: { params: { groupId: '3' }, query: { style: 'flat' }, response: example },
  handle: async ({ params: { groupId }, query: { style, theme, responseTime } }, app) => {
    const group = await app.db.get(groupForBadge, { groupId })
    if (!group) throw notFound()
    requireEnabled(group.account)
    const members = await app.db.all(membersForBadge, { groupId, accountId: group.account_id })
    const active = members.filter(({ activated }) => activated).map(({ id }) => id)
    const status = group.activated ? statusOf(members) : 'paused'
    return picture({
      label: group.name,
      status,
      ...wordOf(status, members),
      responseTime: await responseTimeOf(app, active, responseTime),
      style,
      theme,
    })
  },
})

export const badgeRoutes: Route[] = [ofCheck, ofGroup]
