/** One control for how often something runs: seconds and minutes of the API's two fields are one choice for people. Pure. */

import { type Content, type Html, html } from '../../../platform/web/html/html.ts'
import { say } from '../../../platform/web/html/say.ts'
import type { Tree } from './read-body.ts'

/** `s30`: every thirty seconds; `5`: every five minutes. */
type Every = string

const seconds: readonly Every[] = ['s10', 's20', 's30']
/** What most choose; all others are in a list. */
const usual: readonly Every[] = ['s10', 's30', '1', '5', '15', '60']

/** By the minutes that a type may run at; 0 stands for those within a minute. */
export const everyOptions = (minutes: readonly unknown[]): Every[] => [
  ...(minutes.includes(0) ? seconds : []),
  ...minutes.filter((each) => each !== 0).map(String),
]

/** From the fields of the API, or of the form: `other` says that the list beside it was used. */
export const everyIn = (holder: Tree): Every | undefined => {
  const { frequency, frequencyOffset, frequencyOther } = holder
  const chosen = frequency === 'other' ? frequencyOther : frequency
  if (chosen === undefined || chosen === '') return undefined
  return String(chosen) === '0' ? `s${String(frequencyOffset ?? 10)}` : String(chosen)
}

/** As the API takes it. Of minutes the offset is left to the service, which spreads checks over their period. */
export const everyBody = (every: Every | undefined): Record<string, unknown> => {
  if (every === undefined) return {}
  const [, ofMinute] = /^s(\d+)$/.exec(every) ?? []
  if (ofMinute !== undefined) return { frequency: 0, frequencyOffset: Number(ofMinute) }
  return { frequency: /^\d+$/.test(every) ? Number(every) : every }
}

/** `30 s`, `5 min`, `1 h` */
const short = (every: Every): Content => {
  if (every.startsWith('s')) return say('{0} s', every.slice(1))
  const minutes = Number(every)
  if (minutes < 60) return say('{0} min', minutes)
  return minutes === 1440 ? say('1 day') : say('{0} h', minutes / 60)
}

type Control = { id: string; name: string; options: readonly Every[]; chosen: Every; attributes: Html }

export const everyHtml = ({ id, name, options, chosen, attributes }: Control): Html => {
  const shown = usual.filter((each) => options.includes(each))
  const isOther = !shown.includes(chosen)
  const all = options.includes(chosen) ? options : [...options, chosen]
  return html`<div class="seg" role="radiogroup" aria-label="How often" id="${id}"${attributes}>${shown.map(
    (each) =>
      html`<label><input type="radio" name="${name}" value="${each}"${each === chosen ? html` checked` : null}><span>${short(each)}</span></label>`,
  )}<label><input type="radio" name="${name}" value="other"${isOther ? html` checked` : null}><span>other…</span></label></div><select class="other" name="${name}Other" aria-label="How often, other">${all.map(
    (each) =>
      html`<option value="${each}"${each === chosen ? html` selected` : null}>every ${short(each)}</option>`,
  )}</select>`
}
