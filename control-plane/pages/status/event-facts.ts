/** Short facts about incidents and maintenance, as several pages say them. Pure. */

import type { Words } from '../../communication/stored-pages/words/words.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { durationText } from './dates.ts'
import type { IncidentView } from './model.ts'

export const beganAt = ({
  startedAt,
  resolvedAt,
  createdAt,
}: Pick<IncidentView, 'startedAt' | 'resolvedAt' | 'createdAt'>): number =>
  startedAt ?? resolvedAt ?? createdAt

type Lasting = Pick<IncidentView, 'startedAt' | 'resolvedAt'>

export const lastedText = (words: Words, { startedAt, resolvedAt }: Lasting): string | null =>
  startedAt === null || resolvedAt === null
    ? null
    : durationText(words, Math.round((resolvedAt - startedAt) / 60_000))

export const lasted = (words: Words, incident: Lasting): Html | null => {
  const text = lastedText(words, incident)
  return text === null ? null : html`<span>${words.lasted}: ${text}</span>`
}

export const names = (services: ReadonlyArray<{ name: string }>): Content =>
  services.map(({ name }, at) => html`${at > 0 ? ', ' : ''}<bdi>${name}</bdi>`)

export const affected = (words: Words, services: ReadonlyArray<{ name: string }>): Content =>
  services.length === 0 ? null : html`<span>${words.affected}: ${names(services)}</span>`
