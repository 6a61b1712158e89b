/** What can be done with the checks that are ticked, or with all that match: it stays in sight below the list. */
import { type Html, html } from '../../platform/web/html/html.ts'
import { number, say } from '../../platform/web/html/say.ts'
import { channelChoices, choicesFor } from './forms/choices.ts'
import type { Option } from './forms/fields.ts'
import { optionLabel, sayOption } from './forms/words.ts'
import type { RequestContext } from './request-context.ts'

const tellVerbs = [
  ['subscribe', 'Tell'],
  ['unsubscribe', 'Tell no more'],
] as const
const placeVerbs = [['locations', 'Run there only']] as const

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
  const all = html`<label class="all"><input type="checkbox" name="_all" value="yes"> all ${number(total)} that match</label>`
  if (!context.can('READ_WRITE')) return html`<div class="bulk">${ticked}${run}</div>`
  const channels = await channelChoices(context)
  const chosen = await choicesFor(context, [{ properties: { privateLocations: {} } }])
  const places = chosen.get('privateLocations') ?? []
  return html`<div class="bulk">${ticked}${all}${run}${acts.map(
    ([act, word]) => html`<button class="second small" name="_do" value="${act}">${say(word)}</button>`,
  )}<details class="menu"><summary class="button second small">Change…</summary><div>${[
    field('Tag', html`<input name="tag" maxlength="255" autocomplete="off" aria-label="Tag">`, [
      ['tag', 'Add'],
      ['untag', 'Remove'],
    ]),
    field(
      'Group',
      options('group', 'Group', [{ value: '', label: 'No group', said: say('No group') }, ...groups]),
      [['group', 'Move']],
    ),
    ...(channels.length === 0 ? [] : [field('Channel', options('channel', 'Channel', channels), tellVerbs)]),
    ...(places.length === 0 ? [] : [field('Location', options('location', 'Location', places), placeVerbs)]),
    field('How often', options('frequency', 'How often', frequencies), [['frequency', 'Set']]),
    html`<p><button class="second small" name="_do" value="clone">Clone</button></p>`,
  ]}</div></details></div>`
}

const ticked = html`<span class="quiet">With those that are ticked, or</span>`

const frequencies: readonly Option[] = [
  ...[1, 2, 5, 10, 15, 30, 60, 720, 1440].map((value) => ({
    value,
    label: optionLabel('frequency', value),
    said: sayOption('frequency', value),
  })),
]

const options = (name: string, label: string, from: readonly Option[]): Html =>
  html`<select name="${name}" aria-label="${say(label)}">${from.map(
    ({ value, label: word, said = word }) => html`<option value="${String(value)}">${said}</option>`,
  )}</select>`

type Act = readonly [act: string, word: string]

const field = (label: string, input: Html, of: readonly Act[]): Html =>
  html`<p><span class="quiet">${say(label)}</span> ${input} ${of.map(
    ([act, word]) => html`<button class="second small" name="_do" value="${act}">${say(word)}</button> `,
  )}</p>`
