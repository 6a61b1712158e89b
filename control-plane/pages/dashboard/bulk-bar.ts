/** What can be done with the checks that are ticked, or with all that match: it stays in sight below the list. */
import { type Html, html } from '../../platform/web/html/html.ts'
import { channelChoices, choicesFor } from './forms/choices.ts'
import type { Option } from './forms/fields.ts'
import type { RequestContext } from './request-context.ts'

const acts = [
  ['pause', 'Pause'],
  ['resume', 'Resume'],
  ['mute', 'Mute'],
  ['unmute', 'Unmute'],
  ['delete', 'Delete…'],
] as const

export const bulkBar = async (
  context: RequestContext,
  { groups, total }: { groups: readonly Option[]; total: number },
): Promise<Html> => {
  const run = html`<button class="second small" name="_do" value="run">Run now</button>`
  const all = html`<label class="all"><input type="checkbox" name="_all" value="yes"> all ${total.toLocaleString('en')} that match</label>`
  if (!context.can('READ_WRITE')) return html`<div class="bulk">${ticked}${run}</div>`
  const channels = await channelChoices(context)
  const chosen = await choicesFor(context, [{ properties: { privateLocations: {} } }])
  const places = chosen.get('privateLocations') ?? []
  return html`<div class="bulk">${ticked}${all}${run}${acts.map(
    ([act, word]) => html`<button class="second small" name="_do" value="${act}">${word}</button>`,
  )}<details class="menu"><summary class="button second small">Change…</summary><div>${[
    field('Tag', html`<input name="tag" maxlength="255" autocomplete="off" aria-label="Tag">`, [
      ['tag', 'Add'],
      ['untag', 'Remove'],
    ]),
    field('Group', options('group', 'Group', [{ value: '', label: 'No group' }, ...groups]), [
      ['group', 'Move'],
    ]),
    ...(channels.length === 0
      ? []
      : [
          field('Channel', options('channel', 'Channel', channels), [
            ['subscribe', 'Tell'],
            ['unsubscribe', 'Tell no more'],
          ]),
        ]),
    ...(places.length === 0
      ? []
      : [field('Location', options('location', 'Location', places), [['locations', 'Run there only']])]),
    field('How often', options('frequency', 'How often', frequencies), [['frequency', 'Set']]),
    html`<p><button class="second small" name="_do" value="clone">Clone</button></p>`,
  ]}</div></details></div>`
}

const ticked = html`<span class="quiet">With those that are ticked, or</span>`

const frequencies: readonly Option[] = [
  [1, '1 minute'],
  [2, '2 minutes'],
  [5, '5 minutes'],
  [10, '10 minutes'],
  [15, '15 minutes'],
  [30, '30 minutes'],
  [60, 'hour'],
  [720, '12 hours'],
  [1440, 'day'],
].map(([value, words]) => ({ value: Number(value), label: `Every ${words}` }))

const options = (name: string, label: string, from: readonly Option[]): Html =>
  html`<select name="${name}" aria-label="${label}">${from.map(
    ({ value, label: word }) => html`<option value="${String(value)}">${word}</option>`,
  )}</select>`

type Act = readonly [act: string, word: string]

const field = (label: string, input: Html, of: readonly Act[]): Html =>
  html`<p><span class="quiet">${label}</span> ${input} ${of.map(
    ([act, word]) => html`<button class="second small" name="_do" value="${act}">${word}</button> `,
  )}</p>`
