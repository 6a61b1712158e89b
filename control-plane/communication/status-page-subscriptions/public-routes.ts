/**
 * What subscribers do themselves: subscribe, verify, unsubscribe. No key is needed. The links in mails show a page with
 * one button and act only when it is pressed: mail scanners open links, and must neither verify nor unsubscribe anybody.
 */

import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import { notice, wantsPage } from '../../platform/web/html/html-page.ts'
import { type Reply, type Route, route } from '../../platform/web/http/route.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { endSubscription, verifySubscription } from './queries.ts'
import { Address, Language } from './schema.ts'
import { subscribeYourself } from './subscribe.ts'
import { type LinkAction, subscriptionOfLink } from './subscription-link.ts'

const tag = 'Status page subscriptions'
const Link = Type.Object({
  subscriptionId: Type.String({ format: 'uuid' }),
  token: Type.String({ pattern: '^[\\w-]{32}$' }),
})
const exampleLink = {
  subscriptionId: '1a9c3b5d-7e2f-4a60-8b4d-6c5e7f8a9b02',
  token: 'AbCdEfGhIjKlMnOpQrStUvWxYz012345',
}
const rateLimit = { requests: 60, seconds: 60 }

const subscribe = route({
  method: 'POST',
  path: '/v1/public/status-pages/:url/subscriptions',
  access: 'PUBLIC',
  tag,
  summary: 'Subscribe yourself to a public status page',
  description:
    'Needs no key. The address gets a mail with a link that verifies it, at most one an hour; until then it gets no ' +
    'other mail. The answer does not tell whether the address was known.',
  params: Type.Object({ url: Type.String({ minLength: 1, maxLength: 63 }) }),
  body: Type.Object(
    { address: Address, language: Type.Optional(Language) },
    { additionalProperties: false, title: 'OwnSubscription' },
  ),
  bodyLimit: 4096,
  status: 202,
  otherStatuses: { 404: 'No public page has this address' },
  response: Type.Object({ status: Type.Enum(['PENDING']) }, { title: 'AskedToVerify' }),
  rateLimit: { requests: 20, seconds: 60 },
  example: { params: { url: 'acme' }, body: { address: 'ada@example.com' }, response: { status: 'PENDING' } },
  handle: async (
    { params: { url }, body: { address, language = null } },
    app: App & HasCipher & HasRandomBytes,
  ) => {
    await subscribeYourself(app, { url, address, language })
    return { status: 'PENDING' as const }
  },
})

type SubscriptionLink = { id: string; token: string; action: LinkAction; wantsPage: boolean }
type Handle = (link: SubscriptionLink, app: App & HasCipher) => Promise<Reply<string>>

/** Posts to the address of the page itself. */
const button = (label: string): Html => html`<form method="post"><button>${label}</button></form>`

const link = (
  method: 'GET' | 'POST',
  action: LinkAction,
  { summary, description, handle }: { summary: string; description: string; handle: Handle },
): Route<App & HasCipher & HasRandomBytes> =>
  route({
    method,
    path: `/subscriptions/:subscriptionId/:token/${action}`,
    access: 'PUBLIC',
    tag,
    summary,
    description,
    params: Link,
    status: 200,
    ...(action === 'verify' ? { otherStatuses: { 410: 'The subscription has ended' } } : {}),
    responseType: 'text/html',
    response: Type.String(),
    rateLimit,
    example: { params: exampleLink, response: '<!doctype html>' },
    handle: ({ params: { subscriptionId, token }, headers }, app) =>
      handle({ id: subscriptionId.toLowerCase(), token, action, wantsPage: wantsPage(headers) }, app),
  })

/** In a browser a page, elsewhere the error as everywhere in the API. */
const gone = ({ wantsPage }: SubscriptionLink): Reply<string> => {
  if (!wantsPage) throw new ApiError(410, 'This link is no longer valid: subscribe again')
  return notice({
    status: 410,
    title: 'This link is no longer valid',
    text: 'The subscription has ended. To get mails again, subscribe again on the status page.',
  })
}

const askVerify = link('GET', 'verify', {
  summary: 'The page behind the link of a verification mail',
  description: 'Needs no key. It has a button that posts to the same address, and changes nothing itself.',
  handle: async (found, app: App & HasCipher) => {
    const row = await subscriptionOfLink(app, found)
    if (!row) return gone(found)
    return notice({
      title: 'Confirm your subscription',
      text: `${row.address} will get a mail about each incident and maintenance of this status page.`,
      form: button('Confirm'),
    })
  },
})

const verify = link('POST', 'verify', {
  summary: 'Verify the address of a subscription',
  description: 'Needs no key but the token of the mail. The body is ignored.',
  handle: async (found, app: App & HasCipher) => {
    const row = await subscriptionOfLink(app, found)
    if (!row) return gone(found)
    await app.db.run(verifySubscription, { id: row.id, now: app.clock.now() })
    return notice({ title: 'You are subscribed', text: 'Every mail has a link that ends the subscription.' })
  },
})

const ended = {
  title: 'You are not subscribed',
  text: 'This address gets no further mail of this status page.',
}

const askUnsubscribe = link('GET', 'unsubscribe', {
  summary: 'The page behind the unsubscribe link of a mail',
  description: 'Needs no key. It has a button that posts to the same address, and changes nothing itself.',
  handle: async (found, app: App & HasCipher) => {
    const row = await subscriptionOfLink(app, found)
    if (!row) return notice(ended)
    return notice({
      title: 'End your subscription',
      text: `${row.address} will get no further mail of this status page.`,
      form: button('Unsubscribe'),
    })
  },
})

const unsubscribe = link('POST', 'unsubscribe', {
  summary: 'End a subscription',
  description:
    'Needs no key but the token of the mail. Mail programs post here on their own button (RFC 8058). Repeating it is harmless.',
  handle: async (found, app: App & HasCipher) => {
    const row = await subscriptionOfLink(app, found)
    if (row) await app.db.run(endSubscription, { id: row.id })
    return notice(ended)
  },
})

export const publicSubscriptionRoutes: Route<App & HasCipher & HasRandomBytes>[] = [
  subscribe,
  askVerify,
  verify,
  askUnsubscribe,
  unsubscribe,
]
