/**
 * The page of a service of status pages: the checks that it follows, chosen by name. A link is what the check says of itself
 * (`triggerIncident`), so each is changed the way of the API, with its own entry in the audit log.
 */
import { readService } from '../../communication/status-page-services/routes.ts'
import type { Service } from '../../communication/status-page-services/schema.ts'
import { wordsOf } from '../../communication/stored-pages/words/languages.ts'
import { checkDoc } from '../../monitoring/definitions/checks/check-doc.ts'
import { changeAnyCheck } from '../../monitoring/definitions/checks/generic-routes.ts'
import { listChecks } from '../../monitoring/definitions/checks/list-queries.ts'
import { usersOf } from '../../monitoring/definitions/checks/references-to.ts'
import { readCheck } from '../../monitoring/definitions/checks/routes.ts'
import { type Html, html, inLocale } from '../../platform/web/html/html.ts'
import { count } from '../../platform/web/html/say.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { percentText } from '../status/dates.ts'
import { type ServiceOnPage, serviceOnPages } from '../status/service-on-pages.ts'
import { boundedIds, eachOf } from './checks-bulk.ts'
import { detailPage, pick } from './detail.ts'
import { textField } from './filter-form.ts'
import { actionButton, card, table } from './parts.ts'
import { namesOfChecks } from './queries.ts'
import { type PageRoute, type RequestContext, seeOther, textOf } from './request-context.ts'

const maxShown = 100
const maxFound = 50

const pathOf = (serviceId: string): string => `/app/services/${encodeURIComponent(serviceId)}`

/** The words and numbers of the page itself. */
const seenCard = async ({ app, principal }: RequestContext, { id }: Service): Promise<Html> => {
  const seen = await serviceOnPages(app, { serviceId: id, accountId: principal.accountId })
  return card(
    'As visitors see it',
    table<ServiceOnPage>(
      'Pages',
      [
        {
          label: 'Page',
          kind: 'main',
          cell: ({ pageId, pageName }) =>
            html`<a href="/app/status-pages/${pageId}" dir="auto">${pageName}</a>`,
        },
        {
          label: 'State',
          cell: ({ service }) => inLocale(({ lang }) => wordsOf(lang).states[service.state]),
        },
        {
          label: 'Uptime in 90 days',
          cell: ({ service: { uptime } }) =>
            inLocale(({ lang }) => {
              const words = wordsOf(lang)
              return uptime === null ? words.legend.none : percentText(words, uptime)
            }),
        },
        {
          label: 'Open incidents',
          cell: ({ open }) =>
            open.map(
              (each, at) =>
                html`${at > 0 ? ', ' : ''}<a href="/app/incidents/${each.id}" dir="auto">${each.name}</a>`,
            ),
        },
      ],
      seen,
      'No status page has it on a card: no visitor sees it.',
    ),
    'seen',
  )
}

const checksOfService = async (context: RequestContext, service: Service): Promise<Html> => {
  const { id } = service
  const { app, principal } = context
  const { accountId } = principal
  const { checkIds } = await usersOf(app.db, accountId, { serviceId: id })
  const shown = await app.db.all(namesOfChecks, { accountId, checkIds: checkIds.slice(0, maxShown) })
  const mayChange = context.can('READ_WRITE')
  const list = table<(typeof shown)[number]>(
    'Checks of this service',
    [
      {
        label: 'Check',
        kind: 'main',
        cell: (check) => html`<a href="/app/checks/${check.id}" dir="auto">${check.name}</a>`,
      },
      ...(mayChange
        ? [
            {
              label: '',
              kind: 'act' as const,
              cell: (check: (typeof shown)[number]) =>
                actionButton(
                  `${pathOf(id)}/checks`,
                  html`Remove<span class="hide"> ${check.name}</span>`,
                  { _do: 'remove', 'checkIds[]': check.id },
                  'second small',
                ),
            },
          ]
        : []),
    ],
    shown.toSorted((a, b) => a.name.localeCompare(b.name)),
    'It follows no check: visitors see only the incidents that people open on it.',
  )
  return html`${await seenCard(context, service)}${card(
    count(checkIds.length, { one: '# check', other: '# checks' }),
    html`${list}${checkIds.length > shown.length ? html`<p class="quiet">These are the first ${shown.length}.</p>` : null}`,
    'checks',
  )}${mayChange ? await addCard(context, id) : null}`
}

/** Found by name, address or tag, as the list of checks finds them. */
const addCard = async (context: RequestContext, serviceId: string): Promise<Html> => {
  const search = textOf(context, 'search').trim()
  const filter = { accountId: context.principal.accountId, ...(search === '' ? {} : { search }) }
  const window = { limit: maxFound + 1, offset: 0, order: 'name' } as const
  const found = (await listChecks(context.app.db, filter, window)).map(({ id, doc }) => {
    const { name, triggerIncident } = checkDoc.read(doc)
    return { id, name, triggerIncident }
  })
  const shown = found.slice(0, maxFound)
  const isOwn = (check: (typeof found)[number]): boolean => check.triggerIncident?.serviceId === serviceId
  return card(
    'Add checks',
    html`<p>While a check of it fails, the service is not operational, and an incident is open on it: a minor one with the name of the service, of which subscribers are told, unless the form of the check says otherwise. A check that belongs to another service moves to this one.</p><form class="filters" method="get" action="${pathOf(serviceId)}">${textField('search', 'Find checks', search)}<button class="second">Find</button></form>${
      shown.length === 0
        ? html`<p class="empty">No check matches.</p>`
        : html`<form method="post" action="${pathOf(serviceId)}/checks"><ul class="plain ticks">${shown.map(
            (check) =>
              html`<li><label><input type="checkbox" name="checkIds[]" value="${check.id}"${isOwn(check) ? html` checked disabled` : null}> <span dir="auto">${check.name}</span></label>${
                isOwn(check)
                  ? html` <span class="quiet">belongs to it</span>`
                  : check.triggerIncident
                    ? html` <span class="quiet">belongs to another service</span>`
                    : null
              }</li>`,
          )}</ul>${found.length > maxFound ? html`<p class="quiet">These are the first ${maxFound}: search for others.</p>` : null}<p><button name="_do" value="add">Add those that are ticked</button></p></form>`
    }`,
    'add-checks',
  )
}

const changeChecks = async (context: RequestContext): Promise<Reply<string>> => {
  const { body, params } = context
  const { body: service } = await context.call(readService, {
    params: { serviceId: params['serviceId'] ?? '' },
  })
  const act = body['_do'] === 'remove' ? unlink : link
  const done = await eachOf(boundedIds(body['checkIds']), (id) => act(context, service, id))
  return seeOther(`${pathOf(service.id)}?said=${done ? 'saved' : 'some'}`)
}

const linkOf = async (context: RequestContext, id: string) =>
  (await context.call(readCheck, { params: { id } })).body.triggerIncident ?? null

const change = (context: RequestContext, id: string, body: object): Promise<unknown> =>
  context.call(changeAnyCheck, { params: { id }, body, isPart: true })

/** What the check says of its incidents stays; what it does not say gets the defaults of the API. */
const link = async (context: RequestContext, { id: serviceId, name }: Service, id: string): Promise<void> => {
  const before = await linkOf(context, id)
  if (before?.serviceId === serviceId) return
  await change(context, id, { triggerIncident: { name, ...before, serviceId } })
}

/** A page that was opened before may name a check that follows another service by now. */
const unlink = async (context: RequestContext, { id: serviceId }: Service, id: string): Promise<void> => {
  if ((await linkOf(context, id))?.serviceId === serviceId)
    await change(context, id, { triggerIncident: null })
}

export const servicePages: readonly PageRoute[] = [
  detailPage({
    path: '/app/services/:serviceId',
    section: ['/app/status-pages', 'Status pages'],
    route: readService,
    title: ({ name }) => name,
    facts: pick(['created_at', 'updated_at']),
    actions: [
      ['Edit', 'PUT /v1/status-pages/services/:serviceId'],
      ['Delete', 'DELETE /v1/status-pages/services/:serviceId'],
    ],
    first: (service, context) => checksOfService(context, service),
  }),
  {
    method: 'POST',
    path: '/app/services/:serviceId/checks',
    access: 'READ_WRITE',
    summary: 'Which checks a service follows',
    show: changeChecks,
  },
]
