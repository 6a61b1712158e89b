/**
 * Automatic incidents: a check with `triggerIncident` opens one when its failure is alerted and resolves it when it
 * recovers. Belongs in the transaction that records the transition.
 *
 * Words: an *episode* is the time from the alert to the recovery; its row names the incident. Invariant: an episode
 * opens at most one incident per service. What people do to the incident meanwhile stands: one that was resolved or
 * deleted by hand stays so, and the next episode opens a new one. Checks that share a service have an incident each, so
 * that the service is down until the last of them has recovered.
 */

import type { Static } from 'typebox'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { AutomaticIncidentsTable } from '../../platform/store/database/tables/incident-automation.ts'
import { shareServices } from '../status-page-services/queries.ts'
import { announce } from '../status-page-subscriptions/announce.ts'
import { type Translations, translationsDoc } from '../stored-pages/translations.ts'
import { languages, wordsOf } from '../stored-pages/words/languages.ts'
import type { Words } from '../stored-pages/words/words.ts'
import {
  findAutomaticIncident,
  insertAutomaticIncident,
  takeAutomaticIncidents,
} from './automatic-queries.ts'
import { insertIncident, insertIncidentService, lockIncident } from './queries.ts'
import type { TriggerIncident as TriggerIncidentSchema } from './schema.ts'
import { incidentsSuppressed } from './suppressed.ts'
import { insertIncidentUpdate } from './update-queries.ts'
import { writeTimeline } from './write-timeline.ts'

export type TriggerIncident = Static<typeof TriggerIncidentSchema>

/** A check has begun to fail, as alerted; `at`: since when, in epoch milliseconds. */
type AlertedFailure = { accountId: string; checkId: string; at: number }

/** The check has recovered `at`. */
export const resolveIncidents = (
  trx: Db,
  checkId: string,
  { at, ...stamp }: Stamp & { at: number },
): Promise<void> => endEpisodes(trx, checkId, { at, ending: 'resolved', ...stamp })

/** The check no longer runs, so no run of it would ever resolve the incidents that it opened. */
export const resolveForStoppedCheck = (trx: Db, checkId: string, stamp: Stamp): Promise<void> =>
  endEpisodes(trx, checkId, {
    at: stamp.now,
    ending: 'closed',
    ...stamp,
  })

/** `trigger`: what the check declares now. */
export const openIncident = async (
  trx: Db,
  { accountId, checkId, at }: AlertedFailure,
  trigger: TriggerIncident,
  { now, newId }: Stamp,
): Promise<void> => {
  const { serviceId, name, severity = 'MINOR', description = '', translations = {} } = trigger
  if (await trx.get(findAutomaticIncident, { checkId, serviceId })) return
  const [service] = await trx.all(shareServices, { accountId, ids: [serviceId] })
  if (!service || (await incidentsSuppressed(trx, { accountId, serviceId, now: at }))) return
  const id = newId()
  const notify = trigger.notifySubscribers ?? true
  const episode: AutomaticIncidentsTable = {
    check_id: checkId,
    service_id: serviceId,
    account_id: accountId,
    incident_id: id,
    notify_subscribers: notify,
  }
  if ((await trx.run(insertAutomaticIncident, episode)) === 0) return
  const status = 'INVESTIGATING'
  await trx.run(insertIncident, {
    id,
    account_id: accountId,
    status_page_id: null,
    impacts: '[]',
    name,
    translations: translationsDoc.write(textsOf(translations, 'name')),
    severity,
    status,
    started_at: at,
    resolved_at: null,
    created_at: now,
    updated_at: null,
    version: 1,
  })
  await trx.run(insertIncidentService, { incidentId: id, serviceId, accountId, position: 0 })
  await trx.run(insertIncidentUpdate, {
    ...updateOf(episode, newId()),
    status,
    description: description === '' ? name : description,
    translations: translationsDoc.write(
      description === ''
        ? textsOf(translations, 'name', 'description')
        : textsOf(translations, 'description'),
    ),
    published_at: at,
    created_at: now,
  })
  if (notify) await announce(trx, { kind: 'INCIDENT', subject: id, accountId, now })
}

type Texts = Translations<'name' | 'description'>
type Field = 'name' | 'description'

/** The texts of one field, where there are any, under the name of `to`. */
const textsOf = (texts: Texts, from: Field, to: Field = from): Texts =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([lang, said]) => {
      const text = said?.[from] ?? ''
      return text === '' ? [] : [[lang, { [to]: text }]]
    }),
  )

/** What is said by itself is said in every language. */
const endingTexts = (ending: keyof Words['automatic']) => ({
  description: wordsOf('en').automatic[ending],
  translations: translationsDoc.write(
    Object.fromEntries(languages.map(({ lang, automatic }) => [lang, { description: automatic[ending] }])),
  ),
})

type End = Stamp & { at: number; ending: keyof Words['automatic'] }

const endEpisodes = async (trx: Db, checkId: string, { at, ending, now, newId }: End): Promise<void> => {
  for (const episode of await trx.all(takeAutomaticIncidents, { checkId })) {
    const { incident_id: id, account_id: accountId } = episode
    const incident = await trx.get(lockIncident, { id, accountId })
    if (!incident || incident.status === 'RESOLVED') continue
    await trx.run(insertIncidentUpdate, {
      ...updateOf(episode, newId()),
      status: 'RESOLVED',
      ...endingTexts(ending),
      published_at: Math.max(at, incident.started_at ?? at),
      created_at: now,
    })
    await writeTimeline(trx, incident, now)
    if (episode.notify_subscribers) await announce(trx, { kind: 'INCIDENT', subject: id, accountId, now })
  }
}

const updateOf = (episode: AutomaticIncidentsTable, id: string) => ({
  id,
  account_id: episode.account_id,
  incident_id: episode.incident_id,
  notify_subscribers: episode.notify_subscribers,
})
