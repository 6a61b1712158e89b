/** The history of alerts: what happened, since when and until when, who was told, and whether it arrived. */

import { isTestCheck } from '../../alerting/alert-channels/test-event.ts'
import { checkAlertDoc } from '../../alerting/check-alerts/check-alert-doc.ts'
import type { AlertType } from '../../alerting/messages/alert-types.ts'
import { notificationDoc } from '../../alerting/notifications/notification-doc.ts'
import { saidReason } from '../../insight/result-pages/said-reason.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { cut } from '../../platform/web/html/section.ts'
import { utc } from '../../platform/web/html/utc.ts'
import { lasted } from '../../platform/web/html/words.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import {
  type AlertCursor,
  alertsBefore,
  type ListedAlert,
  notificationsOfAlerts,
} from './alert-history-queries.ts'
import { instantField, instantIn, selectField, textField } from './filter-form.ts'
import { channelChoices, channelName } from './forms/choices.ts'
import { dashboardPage } from './frame.ts'
import { querystringOf } from './internal-client.ts'
import { card, table, toneOf } from './parts.ts'
import { type RequestContext, textOf } from './request-context.ts'
import { sayWord } from './words.ts'

const path = '/app/alerts'
const perPage = 50
const defaultMs = 30 * 86_400_000

const kinds: { readonly [kind: string]: { word: string; types: readonly AlertType[] } } = {
  failed: {
    word: 'Failures',
    types: ['ALERT_FAILURE', 'ALERT_DEGRADED_FAILURE', 'ALERT_FAILURE_REMAIN'],
  },
  degraded: {
    word: 'Degradations',
    types: ['ALERT_DEGRADED', 'ALERT_FAILURE_DEGRADED', 'ALERT_DEGRADED_REMAIN'],
  },
  recovered: { word: 'Recoveries', types: ['ALERT_RECOVERY', 'ALERT_DEGRADED_RECOVERY'] },
  certificate: { word: 'Certificates', types: ['ALERT_SSL'] },
}

const filterNames = ['search', 'check', 'kind', 'channel', 'from', 'to'] as const

export const alertHistoryPage = async (context: RequestContext): Promise<Reply<string>> => {
  const { accountId } = context.principal
  const text = (name: (typeof filterNames)[number]): string => textOf(context, name).trim()
  const [kind, check, channel] = [text('kind'), text('check'), text('channel')]
  const from = instantIn(text('from')) ?? context.now - defaultMs
  const isFiltered = [kind, check, channel, text('search')].some((each) => each !== '')
  const rows = await alertsBefore(
    context.app.db,
    {
      accountId,
      checkId: /^[0-9a-f-]{36}$/.test(check) ? check : undefined,
      search: text('search') || undefined,
      channelId: /^\d{1,9}$/.test(channel) ? Number(channel) : undefined,
      alertTypes: Object.hasOwn(kinds, kind) ? kinds[kind]?.types : undefined,
      from,
      to: instantIn(text('to')) ?? context.now + 1,
    },
    { before: cursorIn(textOf(context, 'before')), limit: perPage + 1 },
  )
  const shown = rows.slice(0, perPage)
  const channels = await channelChoices(context)
  const told = await toldOf(context, shown)
  return dashboardPage(context, {
    title: say('Alert history'),
    section: path,
    styles: [historyStyle],
    content: [
      html`<form class="filters" method="get" action="${path}">${textField('search', 'Check', text('search'))}${selectField(
        { name: 'kind', label: 'What' },
        kind,
        Object.entries(kinds).map(([value, { word }]) => [value, say(word)]),
      )}${selectField(
        { name: 'channel', label: 'Channel' },
        channel,
        channels.map(({ value, label, said = label }) => [String(value), html`${said}`]),
      )}${instantField('from', 'From (UTC)', text('from'))}${instantField('to', 'Until (UTC)', text('to'))}${
        check === '' ? null : html`<input type="hidden" name="check" value="${check}">`
      }<button class="second">Filter</button></form>`,
      text('from') === ''
        ? html`<p class="quiet intro">The last 30 days. Choose when it begins to look further back.</p>`
        : null,
      card('', historyTable(context, shown, { told, isFiltered })),
      pager(context, rows.length > perPage ? shown.at(-1) : undefined),
    ],
  })
}

const historyStyle = html`.plain{list-style:none;margin:0;padding:0;min-width:200px;font-size:14px}.plain li+li{margin-top:4px}`

/** `1767225600000.6f0c…` */
const cursorIn = (text: string): AlertCursor | undefined => {
  const [, at, id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(text) ?? []
  return at === undefined || id === undefined ? undefined : { createdAt: Number(at), id }
}

type Message = { name: Content; status: string; tries: number; answer: string | null; resultId: string }

/** By the id of the alert. */
const toldOf = async (
  { app, principal: { accountId } }: RequestContext,
  alerts: readonly ListedAlert[],
): Promise<ReadonlyMap<string, Message[]>> => {
  if (alerts.length === 0) return new Map()
  const rows = await app.db.all(notificationsOfAlerts, {
    accountId,
    checkIds: [...new Set(alerts.map(({ check_id }) => check_id))],
    alertIds: alerts.map(({ id }) => id),
  })
  const byAlert = Map.groupBy(rows, ({ check_alert_id }) => check_alert_id)
  return new Map(
    [...byAlert].map(([id, messages]) => [
      id,
      messages.map(({ channel_id, type, status, tries, doc, check_result_id }) => {
        const { alertConfig: config, notificationResult } = notificationDoc.read(doc)
        const name = channelName({ id: channel_id, type, config })
        return { name, status, tries, answer: notificationResult, resultId: check_result_id }
      }),
    ]),
  )
}

/** Of what it is about. */
const pageOf = ({ problem, check_id: id }: { problem: string | null; check_id: string }): string => {
  if (problem === 'GROUP') return `/app/groups/${id.slice('group:'.length)}`
  return `/app/${problem === null ? 'checks' : 'locations'}/${id}`
}

const isOver = (type: string): boolean => kinds['recovered']?.types.some((each) => each === type) ?? false
const isDegraded = (type: string): boolean => kinds['degraded']?.types.some((each) => each === type) ?? false

const markOf = (type: string): Html => {
  const [sign, tone] = isOver(type)
    ? ['✓', toneOf('passing')]
    : isDegraded(type) || type === 'ALERT_SSL'
      ? ['!', toneOf('degraded')]
      : ['✕', toneOf('failing')]
  return html`<span class="state ${tone}"><i aria-hidden="true">${sign}</i>${sayWord(type, 'alertType')}</span>`
}

const historyTable = (
  { now }: RequestContext,
  alerts: readonly ListedAlert[],
  { told, isFiltered }: { told: ReadonlyMap<string, readonly Message[]>; isFiltered: boolean },
): Html =>
  table<ListedAlert>(
    'Alerts',
    [
      { label: 'What', cell: ({ alert_type }) => markOf(alert_type) },
      {
        label: 'Check, location or group',
        kind: 'main',
        cell: (alert) => {
          const { error } = checkAlertDoc.read(alert.doc)
          const resultId = told.get(alert.id)?.find((message) => message.resultId !== '')?.resultId
          return html`${
            isTestCheck(alert.check_id)
              ? html`<span dir="auto">${alert.name}</span>`
              : html`<a href="${pageOf(alert)}" dir="auto">${alert.name}</a>`
          }${error === null ? null : html`<p class="why" dir="auto">${saidReason(error, 160)}</p>`}${
            resultId === undefined
              ? null
              : html` <a href="/app/runs/${alert.check_id}/${resultId}">The run</a>`
          }`
        },
      },
      { label: 'At', cell: ({ created_at }) => utc(created_at) },
      { label: 'Ended', cell: (alert) => endOf(alert, now) },
      { label: 'Who was told', cell: ({ id }) => messagesHtml(told.get(id) ?? []) },
    ],
    alerts,
    isFiltered ? 'No alert is like this.' : 'No alert in this time.',
  )

const endOf = ({ alert_type, created_at, ended_at }: ListedAlert, now: number): Content => {
  if (isOver(alert_type) || alert_type === 'ALERT_SSL') return html`<span class="quiet">–</span>`
  if (ended_at === null) return html`not yet, for ${lasted(now - created_at)}`
  return html`${utc(ended_at)} <span class="quiet">after ${lasted(ended_at - created_at)}</span>`
}

const messagesHtml = (messages: readonly Message[]): Content =>
  messages.length === 0
    ? html`<span class="quiet">nobody</span>`
    : html`<ul class="plain">${messages.map(
        ({ name, ...message }) => html`<li><span dir="auto">${name}</span>: ${becameOf(message)}</li>`,
      )}</ul>`

const becameOf = ({ status, tries, answer }: Omit<Message, 'name'>): Content => {
  const why = answer === null ? null : html`<p class="why" dir="auto">${cut(answer, 120)}</p>`
  if (status === 'SUCCESS') return html`delivered`
  if (status === 'FAILURE') return html`<strong class="state failing">not delivered</strong>${why}`
  if (status === 'WITHDRAWN') return html`not sent${why}`
  if (status === 'RATE_LIMITED') return html`held back: too many at once${why}`
  return tries === 0 ? html`on its way` : html`<strong class="state degraded">tried again</strong>${why}`
}

const pager = (context: RequestContext, last: ListedAlert | undefined): Html | null => {
  const isFirst = textOf(context, 'before') === ''
  if (isFirst && last === undefined) return null
  const kept = Object.fromEntries(filterNames.map((name) => [name, textOf(context, name)]))
  return html`<nav class="pager" aria-label="Pages of the list">${isFirst ? null : html`<a class="button second" href="${path}?${querystringOf(kept)}">The newest</a>`}${
    last === undefined
      ? null
      : html`<a class="button second" rel="next" href="${path}?${querystringOf({ ...kept, before: `${last.created_at}.${last.id}` })}">Older ones</a>`
  }</nav>`
}
