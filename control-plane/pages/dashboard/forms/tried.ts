/** A check is tried beside its form before it is saved: it runs once, and neither it nor its result is kept. */

import { checkKinds } from '../../../monitoring/definitions/checks/types/index.ts'
import { tryCheckRoute } from '../../../monitoring/watches/check-tries/routes.ts'
import { type Content, type Html, html } from '../../../platform/web/html/html.ts'
import { ours, say } from '../../../platform/web/html/say.ts'
import { milliseconds } from '../../../platform/web/html/words.ts'
import { callApi, callersError, type Operation, violationsOf } from '../internal-client.ts'
import { stateMark } from '../parts.ts'
import type { RequestContext } from '../request-context.ts'
import { sayWord } from '../words.ts'
import { problemInList } from './form-words.ts'
import { treeOf } from './read-body.ts'

/** What the form of a new check makes; null: it is no such form, or nothing that can be run. */
const typeOf = ({ name }: Operation): string | null =>
  Object.values(checkKinds).find(({ path, scheduled }) => scheduled && name === `POST /v1/checks/${path}`)
    ?.type ?? null

export const canBeTried = (operation: Operation): boolean => typeOf(operation) !== null

export const notTried = html`<div id="tried"></div>`

export const tryButton = html` <button class="button second" name="_do" value="try" data-swap="tried">Try it</button>`

/** As the form is filled in; what is wrong with it is said instead. */
export const triedHtml = async (
  context: RequestContext,
  operation: Operation,
  body: Readonly<Record<string, unknown>>,
): Promise<Html> => {
  try {
    // Forms say numbers as text: the creation's own schema reads them.
    const { body: read } = operation.read({ params: {}, querystring: '', body })
    const asked = { body: { ...treeOf(read), checkType: typeOf(operation) }, isPart: true }
    const { body: tried } = await callApi(context, tryCheckRoute, asked)
    const { outcome, message, location, result } = tried
    if (result === null)
      return frame(
        'It was not run',
        html`<p>${message ?? say('No agent of {0} ran it.', location)}</p>${kept}`,
      )
    const state = {
      passed: 'passing',
      degraded: 'degraded',
      failed: 'failing',
      'not-run': 'unknown',
    } as const
    return frame(
      say('Tried just now, from {0}', location),
      html`<p>${stateMark(state[outcome])} in ${milliseconds(result.responseTime)}${message === null ? null : html`: ${message}`}</p>${conditions(result)}${kept}`,
    )
  } catch (error) {
    const told = callersError(error)
    const violations = violationsOf(told)
    return frame(
      'It was not tried',
      violations.length === 0
        ? html`<p>${told.message}</p>`
        : html`<ul class="plain">${violations.map((violation) => html`<li>${problemInList(violation)}</li>`)}</ul>`,
    )
  }
}

const kept = html`<p class="quiet">Nothing was stored, and nobody was told.</p>`

const frame = (title: Content, content: Html): Html =>
  html`<section class="card tried" id="tried" role="status"><h2>${ours(title)}</h2>${content}</section>`

/** `✓ Status code equals 200` of what the target answered. */
const conditions = (result: Readonly<Record<string, unknown>>): Html | null => {
  const detail = Object.values(result).find((value) => Array.isArray(treeOf(value)['assertions']))
  const found = treeOf(detail)['assertions']
  const rows = Array.isArray(found) ? found.map(treeOf) : []
  if (rows.length === 0) return null
  return html`<ul class="plain">${rows.map(({ source, property, comparison, target, actual, passed }) => {
    const said = html`${sayWord(String(source), 'source')}${property === '' || property === undefined ? null : ` ${String(property)}`} ${sayWord(String(comparison), 'comparison')} ${String(target ?? '')}`
    return html`<li>${passed === false ? '✕' : '✓'} ${said}${actual === undefined || actual === null ? null : html` <span class="quiet">(it was ${String(actual)})</span>`}</li>`
  })}</ul>`
}
