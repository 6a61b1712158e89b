/** A form as its page shows it: what a person knows first, the rest folded with its present values, and a bar that says what will happen. Pure. */

import type { Violation } from '../../../../protocol/validate.ts'
import { type Content, type Html, html } from '../../../platform/web/html/html.ts'
import { say } from '../../../platform/web/html/say.ts'
import type { Operation } from '../internal-client.ts'
import type { FormState, Notes } from './control-html.ts'
import type { Field } from './fields.ts'
import { placeHtml } from './form-html.ts'
import { problemInList, problemOf } from './form-words.ts'
import { type Place, pathOf, type Section, sectionsOf } from './layout.ts'
import { namesInWords, presentOf, toldOf, type Values, valuesOf } from './present.ts'
import type { Tree } from './read-body.ts'

/** What a form is made from and has been filled with. */
export type Form = {
  operation: Operation
  queryFields: readonly Field[]
  bodyFields: readonly Field[]
  /** The field whose value decides what the others are, and that value. */
  variant: { by: string; value: string; values: readonly string[] } | null
  tree: Tree
  isFresh: boolean
  violations: readonly Violation[]
  problem: string
  etag: string
  notes?: Notes
}

/** `try`: what stands beside the form of what can be tried, and the result of a try. */
type FormFrame = { back: string; tryButton: Content; tried: Content }

export const problemsHtml = ({ violations, problem }: Form): Html | null =>
  violations.length === 0 && problem === ''
    ? null
    : html`<section class="card failing problem" role="alert"><h2>It was not saved</h2>${
        violations.length === 0
          ? html`<p>${say(problem)}</p>`
          : html`<ul class="plain">${violations.map(
              (violation) => html`<li><a href="#${anchorOf(violation)}">${problemInList(violation)}</a></li>`,
            )}</ul>`
      }</section>`

const anchorOf = ({ path }: Violation): string => `f-body-${shownPath(path).replaceAll('.', '-')}`

/** Both are one control. */
const shownPath = (path: string): string => (path === 'frequencyOffset' ? 'frequency' : path)

const errorsOf = (violations: readonly Violation[]): Map<string, Content[]> => {
  const errors = new Map<string, Content[]>()
  for (const violation of violations) {
    const path = shownPath(violation.path)
    errors.set(path, [...(errors.get(path) ?? []), problemOf(violation)])
  }
  return errors
}

export const formHtml = (form: Form, { back, tryButton, tried }: FormFrame): Html => {
  const { operation, tree, isFresh, etag, variant } = form
  const errors = errorsOf(form.violations)
  const sections = sectionsOf(operation.route.tag, form)
  const values = valuesOf(
    sections.flatMap(({ lines }) => lines.flat()),
    { values: tree, isFresh },
  )
  const state = (place: Place): FormState => ({
    ...{ values: tree[place.prefix], isFresh, prefix: place.prefix },
    errors: place.prefix === 'body' ? errors : new Map(),
    ...(form.notes === undefined ? {} : { notes: form.notes }),
  })
  const paths = [...errors.keys()]
  const hasError = ({ lines }: Section): boolean =>
    lines
      .flat()
      .some((place) => paths.some((path) => path === pathOf(place) || path.startsWith(`${pathOf(place)}.`)))
  const lines = (section: Section): Html[] => section.lines.map((line) => lineHtml(line, state))
  const open = sections.filter(({ isFolded }) => !isFolded)
  const folded = sections.filter(({ isFolded }) => isFolded)
  return html`<form method="post" class="form" action="?back=${encodeURIComponent(back)}" data-form="${operation.name}">
<button class="first" name="_do" value="enter" tabindex="-1" aria-hidden="true">Save</button>
<input type="hidden" name="_etag" value="${etag}">${variant === null ? null : html`<input type="hidden" name="variant" value="${variant.value}">`}
${open.map((section) => html`<section class="card">${section.title === '' ? null : html`<h2>${say(section.title)}</h2>`}${lines(section)}</section>`)}
${folded.length === 0 ? null : html`<section class="card folds" aria-label="Everything else">${folded.map((section, position) => foldHtml(section, { position, values, isOpen: hasError(section), content: lines(section) }))}</section>`}
${tried}${barHtml(form, { back, tryButton, values })}</form>`
}

const lineHtml = (places: readonly Place[], state: (place: Place) => FormState): Html => {
  const fields = places.map((place) => placeHtml(place, state(place)))
  const [only] = fields
  return fields.length === 1 && only !== undefined
    ? only
    : html`<div class="line of-${places[0]?.field.name ?? ''}">${fields}</div>`
}

type Fold = { position: number; values: Values; isOpen: boolean; content: Content }

const foldHtml = (section: Section, { position, values, isOpen, content }: Fold): Html =>
  html`<details${isOpen ? html` open` : null}><summary><b>${say(section.title)}</b><span id="present-${position}" data-look>${presentIn(section, values)}</span><u aria-hidden="true"></u></summary><div class="fold">${content}</div></details>`

const presentIn = (section: Section, values: Values): Content => {
  const isTold = section.lines.flat().some(({ field }) => field.kind === 'channels')
  if (!isTold) return presentOf(section, values)
  const { names } = toldOf(values)
  return [names.length === 0 ? say('nobody') : namesInWords(names), ' · ', presentOf(section, values)]
}

/** What saving leads to, where that is somebody being told. */
const consequenceOf = (values: Values): Content => {
  if (values.field('alertChannelSubscriptions')?.kind !== 'channels') return null
  const { names, isMuted } = toldOf(values)
  if (isMuted) return say('Nobody is told when it fails: it is muted.')
  if (names.length === 0) return say('Nobody is told when it fails.')
  return say('{0} will be told when it fails.', namesInWords(names))
}

const barHtml = (
  { operation, bodyFields }: Form,
  { back, tryButton, values }: { back: string; tryButton: Content; values: Values },
): Html => {
  const { route } = operation
  const isDelete = route.method === 'DELETE'
  const asks = bodyFields.length > 0 && !isDelete
  const word = isDelete ? say('Delete') : asks ? say('Save') : say('Do it')
  const consequence = consequenceOf(values)
  return html`${asks ? null : html`<p>${isDelete ? [say(route.summary), '? '] : null}${route.description === undefined ? (isDelete ? say('This cannot be undone.') : [say(route.summary), '?']) : say(route.description)}</p>`}<div class="buttons${asks ? ' savebar' : ''}"><button class="${isDelete ? 'danger' : 'main'}" name="_do" value="save">${word}</button> <a class="button second" href="${back}">Cancel</a>${tryButton}${
    consequence === null
      ? null
      : html` <span class="quiet" id="consequence" data-look aria-live="polite">${consequence}</span>`
  }</div>`
}
