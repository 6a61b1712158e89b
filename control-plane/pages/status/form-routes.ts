/** What visitors send: an address that wants mails, the password of a private page. */

import { Type } from 'typebox'
import { Address } from '../../communication/status-page-subscriptions/schema.ts'
import { subscribeYourself } from '../../communication/status-page-subscriptions/subscribe.ts'
import { mostChosen } from '../../communication/status-page-subscriptions/subscribed-components.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import { type Route, reply, route } from '../../platform/web/http/route.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import { admission, opensWith } from './access.ts'
import { homeOf } from './frame.ts'
import type { NamedService, PageModel } from './model.ts'
import { made, Url } from './page-routes.ts'
import { subscribedPage } from './private-page.ts'
import { closed, requestContext, shownModel } from './request-context.ts'

const tag = 'Pages'
const params = Type.Object({ url: Url })
const closedForm = { additionalProperties: false }

/** @throws ApiError 400: with none of them left, it would be told of everything */
const chosenOf = ({ cards }: PageModel, ids: readonly string[]): NamedService[] => {
  const shown = new Map(cards.flatMap(({ services }) => services).map((each) => [each.id, each]))
  const chosen = [...new Set(ids)].flatMap((id) => shown.get(id.toLowerCase()) ?? [])
  if (ids.length > 0 && chosen.length === 0)
    throw new ApiError(400, 'None of these services stands on the page: load it again')
  return chosen
}

const subscribe = route({
  method: 'POST',
  path: '/status/:url/subscribe',
  access: 'PUBLIC',
  page: true,
  form: true,
  tag,
  summary: 'The form of a status page that subscribes an address',
  description: 'Does what POST /v1/public/status-pages/{url}/subscriptions does, and answers with a page.',
  params,
  body: Type.Object(
    {
      address: Address,
      services: Type.Optional(
        Type.Array(Type.String({ format: 'uuid' }), {
          maxItems: mostChosen,
          description: 'Of the page, by their ids; none: all',
        }),
      ),
    },
    { ...closedForm, title: 'SubscribeForm' },
  ),
  bodyLimit: 4096,
  status: 200,
  otherStatuses: { 404: 'No public page has this address' },
  responseType: 'text/html',
  otherTypes: { errors: ['text/html'] },
  response: Type.String(),
  rateLimit: { requests: 20, seconds: 60 },
  example: { params: { url: 'acme' }, body: { address: 'ada@example.com' }, response: '<!doctype html>' },
  handle: async (input, app: App & HasCipher & HasRandomBytes) => {
    const context = await requestContext(app, input)
    const { page, site, isOpen } = context
    if (!isOpen) throw notFound()
    const { address, services = [] } = input.body
    const model = shownModel(context)
    const chosen = chosenOf(model, services)
    await subscribeYourself(app, { url: page.url, address, language: site.words.lang, chosen })
    const { text, headers, contentType } = made(subscribedPage(model, site))
    return reply(text, {
      headers: {
        ...headers,
        'content-type': contentType,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      },
    })
  },
})

const open = route({
  method: 'POST',
  path: '/status/:url/open',
  access: 'PUBLIC',
  page: true,
  form: true,
  tag,
  summary: 'The form that opens a private status page',
  description: 'The right password sets a signed cookie for two weeks; a wrong one shows the form again.',
  params,
  body: Type.Object(
    { password: Type.String({ minLength: 1, maxLength: 200 }) },
    { ...closedForm, title: 'OpenPageForm' },
  ),
  bodyLimit: 2048,
  status: 303,
  otherStatuses: { 401: 'It is another password', 404: 'There is no such page' },
  responseType: 'text/html',
  otherTypes: { errors: ['text/html'] },
  response: Type.String(),
  rateLimit: { requests: 60, seconds: 60 },
  example: {
    params: { url: 'acme' },
    body: { password: 'sp_0123456789abcdef0123456789abcdef' },
    response: '',
  },
  handle: async (input, app: App & HasCipher) => {
    const context = await requestContext(app, input)
    const { page, site } = context
    const home = { location: homeOf(site), 'cache-control': 'no-store' }
    if (!page.model.isPrivate) return reply('', { headers: home })
    const { address, headers, body } = input
    const attempt = { ...body, address, cookie: headers['cookie'] }
    if (!(await opensWith(app, page, attempt))) return closed(context, 'wrong')
    return reply('', { headers: home, cookies: admission(app, page) })
  },
})

export const statusPageFormRoutes: Route<App & HasCipher & HasRandomBytes>[] = [subscribe, open]
