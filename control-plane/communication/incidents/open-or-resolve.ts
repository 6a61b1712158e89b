/**
 * Automatic incidents: a check with `triggerIncident` opens one when its failure is alerted and resolves it when it
 * recovers. Belongs in the transaction that records the transition.
 *
 * Words: an *episode* is the time from the alert to the recovery; its row names the incident. Invariant: an episode
 * opens at most one incident per service, or per rule of a page (open-by-rules.ts). What people do to the incident meanwhile stands: one that was resolved or
 * deleted by hand stays so, and the next episode opens a new one. Checks that share a service have an incident each, so
 * that the service is down until the last of them has recovered.
 */

import type { Static } from 'typebox'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { AutomaticIncidentsTable } from '../../platform/store/database/tables/incident-automation.ts'
import type {
  IncidentsTable,
  IncidentUpdatesTable,
} from '../../platform/store/database/tables/status-pages.ts'
import { shareServices } from '../status-page-services/queries.ts'
import { announce } from '../status-page-subscriptions/announce.ts'
import { type Translations, translationsDoc } from '../stored-pages/translations.ts'
import { languages, wordsOf } from '../stored-pages/words/languages.ts'
import type { Words } from '../stored-pages/words/words.ts'
import {
  findAutomaticIncident,
  findEpisodeOfIncident,
  insertAutomaticIncident,
  takeAutomaticIncident,
  takeAutomaticIncidents,
} from './automatic-queries.ts'
import { ruleDoc } from './automation-rule.ts'
import { insertIncident, insertIncidentService, lockIncident } from './queries.ts'
import { findRule } from './rule-queries.ts'
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

/** The check has left the service. */
export const resolveForLeftService = (
  trx: Db,
  { checkId, serviceId: causeId }: { checkId: string; serviceId: string },
  stamp: Stamp,
): Promise<void> => endEpisodes(trx, checkId, { at: stamp.now, ending: 'closed', causeId, ...stamp })

/** `trigger`: what the check declares now. */
export const openIncident = async (
  trx: Db,
  { accountId, checkId, at }: AlertedFailure,
  trigger: TriggerIncident,
  stamp: Stamp,
): Promise<void> => {
  const { serviceId, name, severity = 'MINOR', description = '', translations = {} } = trigger
  if (await trx.get(findAutomaticIncident, { checkId, causeId: serviceId })) return
  const [service] = await trx.all(shareServices, { accountId, ids: [serviceId] })
  if (!service || (await incidentsSuppressed(trx, { accountId, serviceId, now: at }))) return
  const notify_subscribers = trigger.notifySubscribers ?? true
  const named = translationsDoc.write(textsOf(translations, 'name'))
  const opening: Opening = {
    episode: { check_id: checkId, cause_id: serviceId, account_id: accountId, notify_subscribers },
    ...{ at, serviceIds: [serviceId] },
    incident: { status_page_id: null, impacts: '[]', name, translations: named, severity },
    update: {
      description: description === '' ? name : description,
      translations: translationsDoc.write(
        description === ''
          ? textsOf(translations, 'name', 'description')
          : textsOf(translations, 'description'),
      ),
    },
  }
  await openAutomatic(trx, opening, stamp)
}

type Opening = {
  episode: Omit<AutomaticIncidentsTable, 'incident_id'>
  incident: Pick<IncidentsTable, 'status_page_id' | 'impacts' | 'name' | 'translations' | 'severity'>
  serviceIds: readonly string[]
  update: Pick<IncidentUpdatesTable, 'description' | 'translations'>
  at: number
}

/** Returns its id; null where the check has opened one of that cause meanwhile. */
export const openAutomatic = async (
  trx: Db,
  { episode: cause, incident, serviceIds, update, at }: Opening,
  { now, newId }: Stamp,
): Promise<string | null> => {
  const id = newId()
  const { account_id: accountId, notify_subscribers: notify } = cause
  const episode = { ...cause, incident_id: id }
  if ((await trx.run(insertAutomaticIncident, episode)) === 0) return null
  const status = 'INVESTIGATING'
  await trx.run(insertIncident, {
    ...{ id, account_id: accountId, ...incident, status, started_at: at, resolved_at: null },
    ...{ created_at: now, updated_at: null, version: 1 },
  })
  for (const [position, serviceId] of serviceIds.entries())
    await trx.run(insertIncidentService, { incidentId: id, serviceId, accountId, position })
  await trx.run(insertIncidentUpdate, {
    ...{ ...updateOf(episode, newId()), ...update, status, published_at: at, created_at: now },
  })
  if (notify) await announce(trx, { kind: 'INCIDENT', subject: id, accountId, now })
  return id
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

type End = Stamp & { at: number; ending: keyof Words['automatic']; causeId?: string }

const endEpisodes = async (trx: Db, checkId: string, end: End): Promise<void> => {
  const { at, ending, causeId, now, newId } = end
  const ended =
    causeId === undefined
      ? await trx.all(takeAutomaticIncidents, { checkId })
      : await trx.all(takeAutomaticIncident, { checkId, causeId })
  for (const episode of ended) {
    const { incident_id: id, account_id: accountId } = episode
    const incident = await trx.get(lockIncident, { id, accountId })
    if (!incident || incident.status === 'RESOLVED') continue
    // With the lock held: whoever comes to it, or leaves it, has done so or waits.
    if (await trx.get(findEpisodeOfIncident, { incidentId: id })) continue
    await trx.run(insertIncidentUpdate, {
      ...updateOf(episode, newId()),
      status: 'RESOLVED',
      ...((ending === 'resolved' ? await lastUpdateOf(trx, episode) : null) ?? endingTexts(ending)),
      published_at: Math.max(at, incident.started_at ?? at),
      created_at: now,
    })
    await writeTimeline(trx, incident, now)
    if (episode.notify_subscribers) await announce(trx, { kind: 'INCIDENT', subject: id, accountId, now })
  }
}

/** What the rule says; null where none opened it, or it is no more. */
const lastUpdateOf = async (
  trx: Db,
  { cause_id: id, account_id: accountId }: AutomaticIncidentsTable,
): Promise<Opening['update'] | null> => {
  const rule = await trx.get(findRule, { id, accountId })
  return rule ? { description: ruleDoc.read(rule.doc).lastUpdate, translations: '{}' } : null
}

const updateOf = (episode: AutomaticIncidentsTable, id: string) => ({
  id,
  account_id: episode.account_id,
  incident_id: episode.incident_id,
  notify_subscribers: episode.notify_subscribers,
})
