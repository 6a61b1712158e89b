/** The page of one route that changes something: its form, made from its own schemas, and what became of it. */

import { readAlertChannel } from '../../alerting/alert-channels/routes.ts'
import { triggerCheckSessions } from '../../monitoring/watches/check-sessions/routes.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import type { Reply, Route } from '../../platform/web/http/route.ts'
import type { Role } from '../../platform/words/shapes/roles.ts'
import { editorScript, formScript } from '../assets/all.ts'
import { answerView } from './answer-view.ts'
import { changeRows, chooseAll, putLine } from './forms/change-rows.ts'
import { formChoices, isSearching } from './forms/choices.ts'
import { holdsProgram } from './forms/control-html.ts'
import { fieldsOf, optionsOf, type Schema, variantOf, variantsOf } from './forms/fields.ts'
import { type Form, formHtml, problemsHtml } from './forms/form-page.ts'
import { formStyle } from './forms/form-style.ts'
import { withPresentNames } from './forms/older-names.ts'
import { readBody, type Tree, treeOf } from './forms/read-body.ts'
import { scriptNotes } from './forms/script-notes.ts'
import { canBeTried, notTried, triedHtml, tryButton } from './forms/tried.ts'
import { sayOption } from './forms/words.ts'
import { dashboardPage } from './frame.ts'
import {
  callApi,
  callersError,
  type InternalClient,
  isAnswerOf,
  type Operation,
  violationsOf,
} from './internal-client.ts'
import {
  backOr,
  hasSecret,
  homeOf,
  operationsWithPage,
  ownPageOf,
  pathOfOperation,
  readingOf,
  showsAnswer,
  textIn,
  warningsIn,
  withSaid,
} from './operations.ts'
import { placeName } from './place-names.ts'
import {
  noteMade,
  type PageApp,
  pageRoute,
  type RequestContext,
  seeOther,
  textOf,
} from './request-context.ts'
import { isSilent, silentSentence } from './subscribers-card.ts'

export const operationRoutes = (client: InternalClient): Route<PageApp>[] =>
  operationsWithPage(client).flatMap((operation) => {
    const { route } = operation
    const common = { path: pathOfOperation(route), access: route.access as Role, summary: route.summary }
    return [
      pageRoute(client, {
        ...common,
        show: async (context) => formPage(context, await emptyForm(context, operation)),
      }),
      pageRoute(client, {
        ...common,
        method: 'POST',
        standsFor: operation.name,
        show: (context) => submit(context, operation),
      }),
    ]
  })

const emptyForm = async (context: RequestContext, operation: Operation): Promise<Form> => {
  const reading = readingOf(context.client, operation)
  const current =
    reading === undefined ? null : await callApi(context, reading.route, { params: context.params })
  const body = withPresentNames((operation.route.body ?? {}) as Schema, treeOf(current?.body))
  const given = { ...context.query, ...(current === null ? {} : body) }
  return formOf(context, operation, {
    tree: { body: current === null ? givenOf(context) : body, variant: variantIn(operation, given) },
    isFresh: current === null,
    etag: current?.headers['etag'] ?? '',
  })
}

/** Links may fill in fields at the top: `?name=x`. */
const givenOf = ({ query }: RequestContext): Tree =>
  Object.fromEntries(Object.entries(query).filter(([name]) => !['back', 'said'].includes(name)))

const variantIn = ({ route }: Operation, values: Tree): string => {
  const variants = route.body === undefined ? null : variantsOf(route.body as Schema)
  const value = variants === null ? undefined : values[variants.by]
  return typeof value === 'string' && variants?.values.includes(value) ? value : ''
}

type Filled = Pick<Form, 'isFresh' | 'etag'> & { tree: Tree }

const formOf = async (
  context: RequestContext,
  operation: Operation,
  { tree, isFresh, etag }: Filled,
): Promise<Form> => {
  const { route } = operation
  const querySchema = route.query as Schema | undefined
  const whole = route.body as Schema | undefined
  const variants = whole === undefined ? null : variantsOf(whole)
  const value = String(tree['variant'] ?? '')
  const body = whole !== undefined && variants !== null ? variantOf(whole, variants, value) : whole
  const choices = await formChoices(context, [querySchema, body], tree)
  return {
    ...{ operation, tree, isFresh, etag, violations: [], problem: '' },
    queryFields: fieldsOf(querySchema ?? {}, choices).filter(({ name }) => !isOfNewOnes(route.method, name)),
    bodyFields: fieldsOf(body ?? {}, choices),
    variant: variants === null ? null : { ...variants, value },
  }
}

/** Without effect on what is there already. */
const isOfNewOnes = (method: string, name: string): boolean =>
  method !== 'POST' && name === 'autoAssignAlerts'

/** What changes what a form shows, and saves nothing. */
const looks: ReadonlySet<string> = new Set(['add', 'remove', 'look', 'find', 'none', 'put'])

const changedBy = (body: Tree, act: string, path: string): Tree => {
  if (act === 'add' || act === 'remove') return changeRows(body, act, path)
  if (act === 'none') return chooseAll(body, path, [])
  if (act !== 'put') return body
  const [place = '', line = ''] = path.split(/=(.*)/s)
  return putLine(body, place, line)
}

/** Those that the form shows, with those that were chosen before. */
const withAll = (form: Form, path: string): Form => {
  const name = path.split('.').at(-1) ?? ''
  const options = optionsOf([...form.bodyFields, ...form.queryFields], name)
  return { ...form, tree: chooseAll(form.tree, path, options) }
}

const submit = async (context: RequestContext, operation: Operation): Promise<Reply<string>> => {
  const [act = '', path = ''] = String(context.body['_do'] ?? '').split(/:(.*)/s)
  const etag = String(context.body['_etag'] ?? '')
  const tree = changedBy(context.body, act, path)
  const form = await formOf(context, operation, { tree, isFresh: false, etag })
  if (act === 'all') return formPage(context, withAll(form, path))
  if (looks.has(act) || (act === 'enter' && isSearching(tree))) return formPage(context, form)
  const query = readBody(form.queryFields, treeOf(tree['query']))
  const { body, violations } = readBody(form.bodyFields, treeOf(tree['body']))
  if (form.variant !== null) body[form.variant.by] = form.variant.value
  if (act === 'try' && canBeTried(operation)) {
    const tried = violations.length > 0 ? notTried : await triedHtml(context, operation, body)
    return formPage(context, { ...form, violations }, tried)
  }
  if (violations.length > 0) return formPage(context, { ...form, violations })
  try {
    const answer = await callApi(context, operation.route, {
      params: context.params,
      query: query.body,
      ...(operation.route.body === undefined ? {} : { body }),
      headers: etag === '' ? {} : { 'if-match': etag },
    })
    noteMade(context, answer.body)
    return await afterwards(context, { operation, answer: answer.body })
  } catch (error) {
    const told = callersError(error)
    return formPage(context, { ...form, violations: violationsOf(told), problem: told.message })
  }
}

type Success = { operation: Operation; answer: unknown }

const afterwards = async (
  context: RequestContext,
  { operation, answer }: Success,
): Promise<Reply<string>> => {
  const { name, route } = operation
  const back = backOr(textOf(context, 'back') || String(context.body['_back'] ?? ''), homeOf(route))
  if (isAnswerOf(triggerCheckSessions, route, answer)) return seeOther(sessionsPath(answer.sessions))
  const page = {
    title: say(route.summary),
    section: homeOf(route),
    trail: [[back, placeName(back)]] as const,
  }
  if (showsAnswer.has(name) || hasSecret(answer))
    return dashboardPage(context, {
      ...page,
      content: html`<section class="card"><p class="said" role="status">${hasSecret(answer) ? say('Done. Keep what is here: it is shown this once.') : say('Done.')}</p>${inviteLink(context, answer)}${answerView(answer)}${await untoldNote(context, name)}<p><a class="action" href="${back}">Go on</a></p></section>`,
    })
  const next = nextPage(operation, answer, back)
  const warnings = warningsIn(answer)
  if (warnings.length === 0) return seeOther(next)
  return dashboardPage(context, {
    ...page,
    content: html`<section class="card degraded problem" role="alert"><h2>It was saved, but:</h2><ul class="plain">${warnings.map(
      (message) => html`<li>${message}</li>`,
    )}</ul><p><a class="action" href="${next}">Go on</a></p></section>`,
  })
}

const savesCheck = (name: string): boolean => /^(POST|PUT|PATCH) \/v1\/checks\//.test(name)

/** Where people are led after what they saved. */
const nextPage = ({ name, route }: Operation, answer: unknown, back: string): string => {
  const said = { DELETE: 'deleted', POST: 'done', PUT: 'saved', PATCH: 'saved', GET: 'done' }[route.method]
  if (savesCheck(name))
    return `/app/checks/${textIn(answer, 'id')}?said=${route.method === 'POST' ? 'created' : 'saved'}`
  return ownPageOf(name, answer) ?? withSaid(back, said)
}

/** A channel that works and tells nobody looks as if all were well. */
const untoldNote = async (context: RequestContext, name: string): Promise<Html | null> => {
  if (name !== 'POST /v1/alert-channels/:id/test') return null
  const { body } = await context.call(readAlertChannel, { params: { id: Number(context.params['id']) } })
  return isSilent(body) ? html`<p class="error" role="alert">${silentSentence}</p>` : null
}

/** Whom no mail reaches is given this. */
const inviteLink = ({ app }: RequestContext, answer: unknown): Html | null => {
  const token = textIn(answer, 'token')
  if (token === '') return null
  const link = `${app.config.baseUrl}/invites/${token}`
  return html`<p>Whoever opens this address joins: <a href="${link}">${link}</a></p>`
}

export const sessionsPath = (sessions: ReadonlyArray<{ checkSessionId: string }>): string =>
  sessions.length === 1
    ? `/app/check-sessions/${sessions[0]?.checkSessionId}`
    : '/app/check-sessions?said=started'

const formPage = async (context: RequestContext, given: Form, tried = notTried): Promise<Reply<string>> => {
  const { route } = given.operation
  const notes = await scriptNotes(context, route.tag, treeOf(given.tree['body']))
  const form = { ...given, notes }
  const back = backOr(textOf(context, 'back') || String(context.body['_back'] ?? ''), homeOf(route))
  const failed = form.violations.length > 0 || form.problem !== ''
  return dashboardPage(context, {
    title: say(route.summary),
    section: homeOf(route),
    trail: [[back, placeName(back)]],
    styles: [formStyle],
    scripts: form.bodyFields.some(holdsProgram) ? [formScript, editorScript] : [formScript],
    ...(failed ? { status: 400 } : {}),
    content:
      form.variant !== null && form.variant.value === ''
        ? variantLinks(form.variant, back)
        : [
            problemsHtml(form),
            formHtml(
              form,
              canBeTried(form.operation)
                ? { back, tryButton, tried }
                : { back, tryButton: null, tried: null },
            ),
          ],
  })
}

const variantLinks = ({ by, values }: { by: string; values: readonly string[] }, back: string): Html =>
  html`<section class="card"><h2>Which kind?</h2><ul class="tiles">${values.map(
    (value) =>
      html`<li><a href="?${by}=${value}&back=${encodeURIComponent(back)}">${sayOption(by, value)}</a></li>`,
  )}</ul></section>`
