/** Badges: chosen and looked at here, and copied to where others read them. */
import { readOwnAccount } from '../../access/accounts/routes.ts'
import { listStatusPages } from '../../communication/status-pages/routes.ts'
import { badgeStyles, badgeThemes } from '../../insight/badges/badge-svg.ts'
import { checksAfter } from '../../monitoring/definitions/checks/list-queries.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { selectField, textField } from './filter-form.ts'
import { choicesFor } from './forms/choices.ts'
import { dashboardPage } from './frame.ts'
import { querystringOf } from './internal-client.ts'
import { actionLink } from './operations.ts'
import { card, linkButton } from './parts.ts'
import { type RequestContext, textOf } from './request-context.ts'

const path = '/app/badges'
const mostChecks = 50

/** `value`: what the form says; `url`: the picture, without our host; `target`: where a click on it leads, if there is such a page. */
type Subject = { value: string; name: string; kind: string; url: string; target: string | null }

export const badgePage = async (context: RequestContext): Promise<Reply<string>> => {
  const { body: account } = await context.call(readOwnAccount, { params: {} })
  const isEnabled = account.settings.badgesEnabled
  const subjects = await subjectsOf(context, isEnabled)
  const chosen = subjects.find(({ value }) => value === textOf(context, 'of')) ?? subjects[0]
  return dashboardPage(context, {
    title: say('Badges'),
    section: path,
    content: [
      html`<p class="quiet intro">A picture of a state, for a page or a README that anybody reads: it needs no key, and shows the name and the state only.</p>`,
      isEnabled ? null : offCard(context),
      chosen === undefined && textOf(context, 'search') === '' ? null : form(context, subjects, chosen),
      chosen === undefined
        ? isEnabled && card('', html`<p class="empty">Nothing is like this that may have a badge.</p>`)
        : badgeCard(context, chosen),
    ],
  })
}

const offCard = (context: RequestContext): Html =>
  html`<section class="card problem"><p>Badges of checks and groups are off: their addresses are "not found" for everybody. Those of public status pages work.</p>${
    context.can('ADMIN')
      ? html`<p>${linkButton(actionLink('PATCH /v1/accounts/me', {}, { back: path }), 'Turn them on in the settings of the account')}</p>`
      : html`<p class="quiet">An admin of the account can turn them on.</p>`
  }</section>`

/** Those whose picture anybody may see. */
const subjectsOf = async (context: RequestContext, isEnabled: boolean): Promise<Subject[]> => {
  const { body } = await context.call(listStatusPages, { query: { limit: 100 } })
  const pages = body.entries
    .filter((page) => !page.isPrivate)
    .map(({ id, name, url }): Subject => {
      const target = `/status/${url}`
      return { value: `page:${id}`, name, kind: 'Status pages', url: `${target}/badge.svg`, target }
    })
  if (!isEnabled) return pages
  const groups = (await choicesFor(context, [{ properties: { groupId: {} } }])).get('groupId') ?? []
  const search = textOf(context, 'search').trim()
  const { accountId } = context.principal
  const filter = { accountId, ...(search === '' ? {} : { search }) }
  const checks = await checksAfter(context.app.db, filter, { after: undefined, limit: mostChecks })
  return [
    ...checks.map(({ id, name }) => ofApi('check', id, name)),
    ...groups.map(({ value, label }) => ofApi('group', String(value), label)),
    ...pages,
  ]
}

const ofApi = (kind: 'check' | 'group', id: string, name: string): Subject => ({
  value: `${kind}:${id}`,
  name,
  kind: kind === 'check' ? 'Checks' : 'Groups',
  url: `/v1/badges/${kind}s/${id}`,
  target: null,
})

const lookOf = (context: RequestContext) => {
  const style = badgeStyles.find((each) => each === textOf(context, 'style')) ?? 'flat'
  const theme = badgeThemes.find((each) => each === textOf(context, 'theme')) ?? 'default'
  return { style, theme, responseTime: textOf(context, 'responseTime') === 'true' }
}

const styleWords = {
  flat: 'Flat',
  plastic: 'Plastic',
  'flat-square': 'Square',
  'for-the-badge': 'Large',
  social: 'Light',
}
const themeWords = { default: 'As it is', light: 'For light pages', dark: 'For dark pages' }

const form = (context: RequestContext, subjects: readonly Subject[], chosen: Subject | undefined): Html => {
  const { style, theme, responseTime } = lookOf(context)
  const kinds = Map.groupBy(subjects, ({ kind }) => kind)
  return html`<form class="filters" method="get" action="${path}">${textField('search', 'Find a check', textOf(context, 'search'))}<label class="wide">Of<select name="of">${[
    ...kinds,
  ].map(
    ([kind, of]) =>
      html`<optgroup label="${say(kind)}">${of.map(
        ({ value, name }) =>
          html`<option value="${value}"${value === chosen?.value ? html` selected` : null}>${name}</option>`,
      )}</optgroup>`,
  )}</select></label>${selectField(
    { name: 'style', label: 'Style', any: null },
    style,
    badgeStyles.map((each) => [each, say(styleWords[each])]),
  )}${selectField(
    { name: 'theme', label: 'Colours', any: null },
    theme,
    badgeThemes.map((each) => [each, say(themeWords[each])]),
  )}<label class="check"><span><input type="checkbox" name="responseTime" value="true"${responseTime ? html` checked` : null}> with the response time</span></label><button class="second">Show</button></form>`
}

const badgeCard = (context: RequestContext, { name, url, target, kind }: Subject): Html => {
  const { style, theme, responseTime } = lookOf(context)
  const isPage = kind === 'Status pages'
  const look = querystringOf({
    ...(style === 'flat' ? {} : { style }),
    ...(theme === 'default' ? {} : { theme }),
    ...(responseTime && !isPage ? { responseTime } : {}),
  })
  const picture = look === '' ? url : `${url}?${look}`
  const { baseUrl } = context.app.config
  const address = `${baseUrl}${picture}`
  const alt = name.replace(/[[\]\\<>"&\s]+/g, ' ').trim()
  const image = `<img src="${address.replaceAll('&', '&amp;')}" alt="${alt}">`
  const page = target === null ? null : `${baseUrl}${target}`
  return card(
    html`<span dir="auto">${name}</span>`,
    html`<p><img src="${picture}" alt="${name}"></p>${lines([
      ['Markdown', page === null ? `![${alt}](${address})` : `[![${alt}](${address})](${page})`],
      ['HTML', page === null ? image : `<a href="${page}">${image}</a>`],
      ['Address', address],
    ])}`,
  )
}

const lines = (of: ReadonlyArray<readonly [name: string, text: string]>): Content =>
  of.map(
    ([name, text]) =>
      html`<h3>${say(name)}</h3><pre class="copied" tabindex="0" role="region" aria-label="${say(name)}">${text}</pre>`,
  )
