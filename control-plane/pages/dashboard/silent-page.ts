/** Every check that nobody would be told of if it failed now, and why. */

import { listSilentChecks } from '../../insight/alert-explanations/silent-routes.ts'
import { type SilentCheck, silentReasons } from '../../insight/alert-explanations/silent-schema.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { count, say } from '../../platform/web/html/say.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { selectField, textField } from './filter-form.ts'
import { channelChoices } from './forms/choices.ts'
import { dashboardPage } from './frame.ts'
import { querystringOf } from './internal-client.ts'
import { card, clock, table } from './parts.ts'
import { type RequestContext, textOf } from './request-context.ts'
import { sayWord } from './words.ts'

const path = '/app/silent'
const perPage = 50

export const silentPage = async (context: RequestContext): Promise<Reply<string>> => {
  const search = textOf(context, 'search').trim()
  const reason = silentReasons.find((each) => each === textOf(context, 'reason'))
  const at = textOf(context, 'at')
  const page = /^[1-9]\d{0,4}$/.test(at) ? Number(at) : 1
  const { body: silent, headers } = await context.call(listSilentChecks, {
    query: { limit: perPage, page, ...(search === '' ? {} : { search }), ...(reason ? { reason } : {}) },
  })
  const total = Number(/\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] ?? 0)
  const isFiltered = search !== '' || reason !== undefined
  return dashboardPage(context, {
    title: say('Who would hear nothing'),
    section: path,
    content: [
      html`<p class="quiet intro">Checks that nobody would be told of if they failed now. Of several reasons the first one is said.</p>`,
      html`<form class="filters" method="get" action="${path}">${textField('search', 'Check', search)}${selectField(
        { name: 'reason', label: 'Why' },
        reason ?? '',
        silentReasons.map((each) => [each, sayWord(each, 'reason')]),
      )}<button class="second">Filter</button></form>`,
      card(
        count(total, { one: '# check', other: '# checks' }),
        table(
          'Checks',
          await columnsOf(context),
          silent,
          isFiltered ? 'None.' : 'Of every check somebody would be told.',
        ),
      ),
      total > page * perPage
        ? html`<nav class="pager" aria-label="Pages of the list"><a class="button second" rel="next" href="${path}?${querystringOf({ search, reason: reason ?? '', at: String(page + 1) })}">Next page</a></nav>`
        : null,
    ],
  })
}

const columnsOf = async (context: RequestContext) => {
  const channels = await channelChoices(context)
  const names = new Map(channels.map(({ value, label, said = label }) => [value, said]))
  const link = (id: number): Html =>
    html`<a href="/app/channels/${id}">${names.get(id) ?? say('Channel {0}', id)}</a>`
  return [
    {
      label: 'Check',
      kind: 'main' as const,
      cell: ({ checkId, name }: SilentCheck) => html`<a href="/app/checks/${checkId}">${name}</a>`,
    },
    {
      label: 'Why',
      cell: (silent: SilentCheck) => html`${sayWord(silent.reason, 'reason')}${moreOf(silent)}`,
    },
    {
      label: 'Channels',
      cell: ({ alertChannelIds }: SilentCheck) =>
        alertChannelIds.slice(0, 5).map((id, position) => [position === 0 ? null : ', ', link(id)]),
    },
  ]
}

/** Whose setting it is, what is down, how long it has lasted or will. */
const moreOf = ({ by, because, since, until }: SilentCheck): Content => {
  if (by === 'group') return html` <span class="quiet">by its group</span>`
  return [
    because === null ? null : html` <span class="quiet" dir="auto">${because}</span>`,
    since === null ? null : html` <span class="quiet">since ${clock(Date.parse(since))}</span>`,
    until === null ? null : html` <span class="quiet">until ${clock(Date.parse(until))}</span>`,
  ]
}
