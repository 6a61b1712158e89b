/** The page of a status page: what is on it, how visitors reach it, and who is told by mail. */
import { listSubscriptions } from '../../communication/status-page-subscriptions/routes.ts'
import { readPublication } from '../../communication/status-pages/publication-routes.ts'
import type { Publication } from '../../communication/status-pages/publication-schema.ts'
import { readStatusPage } from '../../communication/status-pages/routes.ts'
import type { StatusPage } from '../../communication/status-pages/schema.ts'
import { type Content, html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { detailPage, pick } from './detail.ts'
import { listCard } from './listing.ts'
import { actionLink } from './operations.ts'
import { actionButton, agoOf, card, table } from './parts.ts'
import type { RequestContext } from './request-context.ts'
import { sayWord } from './words.ts'

/** Where visitors find it, and what still keeps them out. */
const publication = async ({ id, url, isPrivate }: StatusPage, context: RequestContext): Promise<Content> => {
  const { body } = await context.call(readPublication, { params: { statusPageId: id } })
  const address = `${context.app.config.baseUrl}/status/${url}`
  const { domain } = body
  return html`${card(
    'For visitors',
    html`<p><a href="/status/${url}">${address}</a></p>${
      isPrivate
        ? html`<p>It asks for a password${body.hasPassword ? say(': the generated one, or your own') : say(': the one that was shown when it became private')}.${body.allowedNetworks.length === 0 ? null : html` Not from ${body.allowedNetworks.join(', ')}.`}</p>`
        : html`<p>Anybody may read it.</p>`
    }${body.frameAncestors.length === 0 ? null : html`<p>Sites that may frame it: ${body.frameAncestors.join(', ')}</p>`}`,
  )}${domain === null ? null : domainCard(id, domain, context)}`
}

type Domain = NonNullable<Publication['domain']>

const domainCard = (id: string, domain: Domain, { can, now }: RequestContext): Content =>
  card(
    html`${domain.name}`,
    html`<p>${domain.isProven ? say('The domain is proven: the page is shown under it.') : say('The domain is not proven yet, so the page is not shown under it. Put one of these records into the DNS:')}</p>${table(
      'Records',
      [
        { label: 'Type', cell: ({ type }) => type },
        { label: 'Name', kind: 'main', cell: ({ name }) => html`<code>${name}</code>` },
        { label: 'Value', cell: ({ value }) => html`<code>${value}</code>` },
      ],
      domain.records,
      '',
    )}<p class="quiet">${domain.checkedAt === null ? say('It was not looked for yet') : html`Last looked for ${agoOf(domain.checkedAt, now)}`}.</p>${
      can('READ_WRITE')
        ? actionButton(
            actionLink(
              'POST /v1/status-pages/:statusPageId/publication/domain-checks',
              { statusPageId: id },
              { back: `/app/status-pages/${id}` },
            ),
            'Look now',
          )
        : null
    }`,
  )

export const statusPage = detailPage({
  path: '/app/status-pages/:statusPageId',
  section: ['/app/status-pages', 'Status pages'],
  route: readStatusPage,
  title: ({ name }) => name,
  facts: (item) => ({
    ...pick(['description', 'url', 'customDomain', 'isPrivate', 'defaultTheme'])(item),
    cards: item.cards.map(
      ({ name, services }) =>
        `${name}: ${services.map((service) => service.name).join(', ') || 'no services'}`,
    ),
  }),
  actions: [
    ['Edit', 'PUT /v1/status-pages/:statusPageId'],
    ['Password, networks, frames', 'PUT /v1/status-pages/:statusPageId/publication'],
    ['Subscribe addresses', 'POST /v1/status-pages/:statusPageId/subscriptions/bulk'],
    ['Delete', 'DELETE /v1/status-pages/:statusPageId'],
  ],
  also: publication,
  lists: [
    listCard({
      title: 'Subscriptions',
      route: listSubscriptions,
      pages: 'none',
      itemsIn: (answer) => answer,
      columns: ({ now }) => [
        { label: 'Address', kind: 'main', cell: ({ address }) => address },
        { label: 'State', cell: ({ status }) => sayWord(status, 'status') },
        { label: 'Since', cell: ({ created_at }) => agoOf(created_at, now) },
      ],
      actions: [
        {
          word: 'End',
          operation: 'DELETE /v1/status-pages/:statusPageId/subscriptions/:subscriptionId',
          params: ({ id }) => ({ subscriptionId: id }),
        },
      ],
    }),
  ],
})
