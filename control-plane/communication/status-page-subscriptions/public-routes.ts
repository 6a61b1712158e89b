/**
 * What subscribers do themselves: subscribe, verify, unsubscribe. No key is needed. The links in mails show a page with
 * one button and act only when it is pressed: mail scanners open links, and must neither verify nor unsubscribe anybody.
 */

import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { StatusPageSubscriptionsTable } from '../../platform/store/database/tables/status-pages.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import { notice, wantsPage } from '../../platform/web/html/html-page.ts'
import { preferredLanguage } from '../../platform/web/http/request/preferred-language.ts'
import { type Reply, type Route, route } from '../../platform/web/http/route.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { pageDoc } from '../stored-pages/page-doc.ts'
import { wordsOfPages } from '../stored-pages/publication-doc.ts'
import { findPage } from '../stored-pages/queries.ts'
import { inLanguage } from '../stored-pages/translations.ts'
import { langs, wordsOf } from '../stored-pages/words/languages.ts'
import { filled } from '../stored-pages/words/mail-words.ts'
import type { Words } from '../stored-pages/words/words.ts'
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

type SubscriptionLink = { id: string; token: string; action: LinkAction; wantsPage: boolean; wishes: string }
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
    handle: ({ params: { subscriptionId, token }, headers }, app) => {
      const asked = { wantsPage: wantsPage(headers), wishes: headers['accept-language'] ?? '' }
      return handle({ id: subscriptionId.toLowerCase(), token, action, ...asked }, app)
    },
  })

/** Nothing is known of whoever comes but what their browser asks for. */
const wordsOfWishes = ({ wishes }: SubscriptionLink): Words =>
  wordsOf(preferredLanguage(wishes, langs) ?? undefined)

type Found = { row: StatusPageSubscriptionsTable; words: Words; said: Record<string, string> }

/** In the language of its mails. */
const found = async (app: App & HasCipher, asked: SubscriptionLink): Promise<Found | null> => {
  const row = await subscriptionOfLink(app, asked)
  if (row === undefined) return null
  const { status_page_id: id, account_id: accountId, address } = row
  const words = (await wordsOfPages(app.db, [id]))(id, row.language)
  const page = await app.db.get(findPage, { id, accountId })
  const name = page === undefined ? '' : inLanguage(pageDoc.read(page.doc), words.lang).name
  return { row, words, said: { page: name, address } }
}

/** In a browser a page, elsewhere the error as everywhere in the API. */
const gone = (asked: SubscriptionLink): Reply<string> => {
  if (!asked.wantsPage) throw new ApiError(410, 'This link is no longer valid: subscribe again')
  const { lang, link } = wordsOfWishes(asked)
  return notice({ lang, status: 410, title: link.invalid, text: link.invalidText })
}

const askVerify = link('GET', 'verify', {
  summary: 'The page behind the link of a verification mail',
  description: 'Needs no key. It has a button that posts to the same address, and changes nothing itself.',
  handle: async (asked, app: App & HasCipher) => {
    const subscription = await found(app, asked)
    if (subscription === null) return gone(asked)
    const { words, said } = subscription
    return notice({
      lang: words.lang,
      title: filled(words.mail.confirmHeading, said),
      text: filled(words.mail.confirmText, said),
      form: button(words.mail.confirm),
    })
  },
})

const verify = link('POST', 'verify', {
  summary: 'Verify the address of a subscription',
  description: 'Needs no key but the token of the mail. The body is ignored.',
  handle: async (asked, app: App & HasCipher) => {
    const subscription = await found(app, asked)
    if (subscription === null) return gone(asked)
    await app.db.run(verifySubscription, { id: subscription.row.id, now: app.clock.now() })
    const { lang, link } = subscription.words
    return notice({ lang, title: link.confirmed, text: link.confirmedText })
  },
})

const ended = ({ lang, link }: Words): Reply<string> =>
  notice({ lang, title: link.ended, text: link.endedText })

const askUnsubscribe = link('GET', 'unsubscribe', {
  summary: 'The page behind the unsubscribe link of a mail',
  description: 'Needs no key. It has a button that posts to the same address, and changes nothing itself.',
  handle: async (asked, app: App & HasCipher) => {
    const subscription = await found(app, asked)
    if (subscription === null) return ended(wordsOfWishes(asked))
    const { words, said } = subscription
    return notice({
      lang: words.lang,
      title: said['page'] || words.mail.unsubscribe,
      text: said['address'] ?? '',
      form: button(words.mail.unsubscribe),
    })
  },
})

const unsubscribe = link('POST', 'unsubscribe', {
  summary: 'End a subscription',
  description:
    'Needs no key but the token of the mail. Mail programs post here on their own button (RFC 8058). Repeating it is harmless.',
  handle: async (asked, app: App & HasCipher) => {
    const subscription = await found(app, asked)
    if (subscription !== null) await app.db.run(endSubscription, { id: subscription.row.id })
    return ended(subscription?.words ?? wordsOfWishes(asked))
  },
})

export const publicSubscriptionRoutes: Route<App & HasCipher & HasRandomBytes>[] = [
  subscribe,
  askVerify,
  verify,
  askUnsubscribe,
  unsubscribe,
]
