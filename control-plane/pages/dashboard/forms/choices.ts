/** What a form lets people choose from: what the account has, a few at a time, and found by name where there is more. */

import { publicLocations } from '../../../../protocol/location.ts'
import { channelDoc } from '../../../alerting/alert-channels/channel-doc.ts'
import { locationInWords } from '../../../alerting/messages/message.ts'
import { listStatusPages } from '../../../communication/status-pages/routes.ts'
import { publicationDoc } from '../../../communication/stored-pages/publication-doc.ts'
import { langs, nameOfLanguage } from '../../../communication/stored-pages/words/languages.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { containing } from '../../../platform/store/database/engines.ts'
import type { Content } from '../../../platform/web/html/html.ts'
import { count, say } from '../../../platform/web/html/say.ts'
import { utcText } from '../../../platform/web/html/utc.ts'
import { callApi } from '../internal-client.ts'
import { languagesOfPages, locationsWithAgents } from '../queries.ts'
import type { RequestContext } from '../request-context.ts'
import { sayWord, wordOf } from '../words.ts'
import {
  bundleRows,
  channelRows,
  checkNames,
  type FoundNames,
  groupNames,
  locationNames,
  type Sought,
  serviceNames,
  snippetNames,
  tagsMatching,
} from './choice-queries.ts'
import { idIn } from './control-html.ts'
import type { Choice, Choices, Option, Schema } from './fields.ts'
import { type Tree, treeOf } from './read-body.ts'

/** As many are shown at once; others are searched for. */
const perChoice = 50
const tagsShown = 12
/** Lists outside of forms, which have a search of their own, know so many names. */
const mostNames = 500

type Source = {
  /** Names of the fields that name such a thing. */
  names: readonly string[]
  find: (context: RequestContext, sought: Sought) => Promise<FoundOptions>
  limit?: number
}

type FoundOptions = { matching: readonly Option[]; chosen: readonly Option[] }

const fromStore =
  (read: (db: Db, sought: Sought) => Promise<FoundNames>): Source['find'] =>
  ({ app }, sought) =>
    read(app.db, sought)

/** Of what there are few of. */
const fewOf =
  (read: (context: RequestContext) => Promise<readonly Option[]>): Source['find'] =>
  async (context, { search, ids }) => {
    const all = await read(context)
    return {
      matching: all.filter(({ label }) => label.toLowerCase().includes(search.toLowerCase())),
      chosen: all.filter(({ value }) => ids.includes(String(value))),
    }
  }

const sources: readonly Source[] = [
  { names: ['checkId'], find: fromStore(checkNames) },
  { names: ['groupId', 'groupIds'], find: fromStore(groupNames) },
  { names: ['alertChannelId', 'fallbackChannelId'], find: (context, sought) => channels(context, sought) },
  { names: ['privateLocations'], find: fromStore(locationNames) },
  { names: ['locations'], find: fewOf((context) => servedLocations(context)) },
  { names: ['services', 'serviceIds', 'serviceId'], find: fromStore(serviceNames) },
  { names: ['codeBundleId'], find: (context, sought) => bundles(context, sought) },
  { names: ['setupSnippetId', 'tearDownSnippetId'], find: fromStore(snippetNames) },
  {
    names: ['tags', 'silenceAlertsTags'],
    find: (context, sought) => tags(context, sought),
    limit: tagsShown,
  },
  {
    names: ['statusPageIds'],
    find: fewOf(async (context) =>
      (await callApi(context, listStatusPages, { query: { limit: 100 } })).body.entries.map(
        ({ id, name }) => ({ value: id, label: name }),
      ),
    ),
  },
  { names: ['translations'], find: fewOf((context) => offeredLanguages(context)) },
]

/** Those of the page that the form is of, else of any page, without the one that all of them are in by themselves. */
const offeredLanguages = async ({
  app,
  principal: { accountId },
  params,
}: RequestContext): Promise<Option[]> => {
  const pages = await app.db.all(languagesOfPages, { accountId })
  const own = pages.filter(({ id }) => id === params['statusPageId'])
  const offers = (own.length > 0 ? own : pages).map(({ doc }) =>
    doc === null ? [] : publicationDoc.read(doc).languages,
  )
  const offered = offers.map((languages) => (languages.length === 0 ? langs : languages))
  const defaults = new Set(offered.map(([first]) => first))
  return [...new Set(offered.flat())]
    .filter((lang) => defaults.size > 1 || !defaults.has(lang))
    .map((lang) => ({ value: lang, label: nameOfLanguage(lang) }))
}

const channels: Source['find'] = async ({ app }, sought) => {
  const { matching, chosen } = await channelRows(app.db, sought)
  const optionOf = ({ id, type, doc }: { id: number; type: string; doc: string }): Option => {
    const channel = { id, type, config: channelDoc.read(doc).config }
    return { value: id, label: channelLabel(channel), said: channelName(channel) }
  }
  return { matching: matching.map(optionOf), chosen: chosen.map(optionOf) }
}

/** Nobody has named them: when they came and how much they hold tells one from another. */
const bundles: Source['find'] = async ({ app }, sought) => {
  const { matching, chosen } = await bundleRows(app.db, sought)
  const optionOf = ({ id, sha256, files, created_at }: (typeof matching)[number]): Option => ({
    value: id,
    label: sha256,
    said: [
      utcText(created_at),
      ' · ',
      count(files ?? 0, { one: '# file', other: '# files' }),
      ` · ${sha256.slice(0, 10)}`,
    ],
  })
  return { matching: matching.map(optionOf), chosen: chosen.map(optionOf) }
}

/** Nothing is chosen of them: they are put among those that are written. */
const tags: Source['find'] = async ({ app }, { accountId, search, limit }) => {
  const asked = { accountId, pattern: containing(search), limit: limit + 1 }
  const found = await app.db.all(tagsMatching, asked)
  return { matching: found.map(({ tag }) => ({ value: tag, label: tag })), chosen: [] }
}

const dayMs = 86_400_000

/** Runs where nobody serves are missed; an agent that is started anew has been there within a day. */
const servedLocations = async ({ app, now }: RequestContext): Promise<Option[]> => {
  const served = await app.db.all(locationsWithAgents, { locationIds: publicLocations, since: now - dayMs })
  return served
    .map(({ location_id }) => ({
      value: location_id,
      label: location_id,
      said: locationInWords(location_id),
    }))
    .toSorted((a, b) => a.label.localeCompare(b.label))
}

/** What of a channel's settings people know it by. */
const ownNames = ['name', 'address', 'serviceName', 'number', 'channel', 'url']

type Named = { id: number; type: string; config?: Readonly<Record<string, unknown>> }

const ownNameOf = ({ id, config = {} }: Named): Content => {
  const own = ownNames.map((name) => config[name]).find((value) => value !== undefined && value !== null)
  return typeof own === 'string' && own !== '' ? own : say('no. {0}', id)
}

/** What tells one channel from another of its type. */
export const channelName = (channel: Named): Content => [
  sayWord(channel.type, 'type'),
  ' ',
  ownNameOf(channel),
]

/** For those who sort and search. */
const channelLabel = ({ id, type }: Named): string => `${wordOf(type, 'type')} ${id}`

const ofSource = async (
  context: RequestContext,
  { find, limit = perChoice }: Source,
  { search, ids, atMost = limit }: { search: string; ids: readonly string[]; atMost?: number },
): Promise<Omit<Choice, 'name'>> => {
  const { accountId } = context.principal
  const { matching, chosen } = await find(context, { accountId, search, ids, limit: atMost })
  const shown = matching.slice(0, atMost)
  const isChosen = new Set(chosen.map(({ value }) => String(value)))
  return {
    // A long list scrolls: what is chosen in it is in sight.
    options: [...chosen, ...shown.filter(({ value }) => !isChosen.has(String(value)))],
    hasMore: matching.length > atMost,
    search,
  }
}

/** Lists that the form has no field for are not read. */
export const formChoices = async (
  context: RequestContext,
  schemas: readonly (Schema | undefined)[],
  tree: Tree,
): Promise<Choices> => {
  const text = JSON.stringify(schemas)
  const known = new Map<string, Choice>()
  for (const source of sources)
    for (const name of source.names.filter((name) => text.includes(`"${name}":`)))
      known.set(name, {
        name,
        ...(await ofSource(context, source, { search: searchIn(tree, name), ids: chosenOf(tree, name) })),
      })
  return known
}

/** What is looked for in the list of that name: where a form has several of it, the one that was written last. */
const searchIn = (tree: Tree, name: string): string => {
  const asked = listOf(treeOf(tree['find'])[name])
  const shown = listOf(treeOf(tree['found'])[name])
  return (asked.find((text, at) => text !== shown[at]) ?? asked[0] ?? '').slice(0, 100)
}

/** Whether somebody wrote what to look for and has not been shown what there is. */
export const isSearching = (tree: Tree): boolean =>
  Object.keys(treeOf(tree['find'])).some((name) =>
    listOf(treeOf(tree['find'])[name]).some((text, at) => text !== listOf(treeOf(tree['found'])[name])[at]),
  )

const listOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(String)

const maxChosen = 1000

/** Every value that a field of that name has, wherever it stands. */
const chosenOf = (tree: Tree, name: string): string[] => {
  const found = new Set<string>()
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || found.size > maxChosen) return
    for (const [key, each] of Object.entries(value)) {
      if (key === name) for (const one of Array.isArray(each) ? each : [each]) found.add(idIn(one ?? ''))
      walk(each)
    }
  }
  walk({ body: tree['body'], query: tree['query'] })
  // A subscription names its channel, and a form only that.
  if (name === 'alertChannelId') for (const id of chosenOf(tree, 'alertChannelSubscriptions')) found.add(id)
  found.delete('')
  return [...found]
}

/** For pages that are no forms: lists by the names of fields, as far as they are not too long to choose from. */
export const choicesFor = async (
  context: RequestContext,
  schemas: readonly Schema[],
): Promise<ReadonlyMap<string, readonly Option[]>> => {
  const asked = { search: '', ids: [], atMost: mostNames }
  const known = new Map<string, readonly Option[]>()
  for (const source of sources)
    for (const name of source.names.filter((name) => JSON.stringify(schemas).includes(`"${name}":`)))
      known.set(name, (await ofSource(context, source, asked)).options)
  return known
}

export const channelChoices = async (context: RequestContext): Promise<readonly Option[]> =>
  (await choicesFor(context, [{ properties: { alertChannelId: {} } }])).get('alertChannelId') ?? []
