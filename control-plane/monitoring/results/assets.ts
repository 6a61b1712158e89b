/** The files that a result has, as a manifest. */
import { type Static, Type } from 'typebox'
import { artifactTypes } from '../../../protocol/artifact.ts'
import type { App } from '../../platform/app/app.ts'
import type { ArtifactsTable } from '../../platform/store/database/tables/artifacts.ts'
import { artifactsOfResult } from '../artifacts/queries.ts'
import type { ResultWithDoc } from './stored/result.ts'

const Asset = Type.Object({
  type: Type.Enum([...artifactTypes]),
  name: Type.String(),
  url: Type.String(),
  contentType: Type.String(),
  source: Type.Object({
    type: Type.Enum(['check-result', 'test-session-result']),
    checkId: Type.String(),
    checkResultId: Type.String(),
    testSessionId: Type.Optional(Type.String()),
    testSessionResultId: Type.Optional(Type.String()),
  }),
})

export const AssetManifest = Type.Object(
  {
    assets: Type.Array(Asset),
    entries: Type.Array(Asset, { description: 'The same as `assets`' }),
    entriesReturned: Type.Integer({ minimum: 0 }),
    entriesTotal: Type.Integer({ minimum: 0 }),
    truncated: Type.Boolean(),
    refused: Type.Array(
      Type.Object({
        type: Type.Enum([...artifactTypes]),
        name: Type.String(),
        size: Type.Integer({ minimum: 0, description: 'Bytes' }),
        reason: Type.String(),
      }),
      { description: 'Files that the run left but that were not kept, and why' },
    ),
  },
  { title: 'AssetManifest' },
)
export type AssetManifest = Static<typeof AssetManifest>

/** Of a list of files. */
export const AssetQuery = Type.Object(
  {
    type: Type.Optional(Type.Array(Type.Enum([...artifactTypes]), { maxItems: artifactTypes.length })),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'A glob: * and ?' })),
  },
  { additionalProperties: false },
)

const maxEntries = 1000

type Filter = { type?: string[]; name?: string }
type TestedResult = { testSessionId: string; testSessionResultId: string }
type AssetType = AssetManifest['entries'][number]['type']

/** `rows`: the artifacts of the result; those that are still on their way are not shown. */
const assetManifest = (
  { id, check_id: checkId }: Pick<ResultWithDoc, 'id' | 'check_id'>,
  rows: readonly ArtifactsTable[],
  { baseUrl, filter, test }: { baseUrl: string; filter: Filter; test?: TestedResult },
): AssetManifest => {
  const meant = rows.filter(
    ({ type, name }) =>
      (filter.type === undefined || filter.type.includes(type)) &&
      (filter.name === undefined || matchesGlob(filter.name, name)),
  )
  const complete = meant.filter(({ completed_at }) => completed_at !== null)
  const shown = complete.slice(0, maxEntries)
  const assets = shown.map(({ type, name, content_type }) => ({
    type: type as AssetType,
    name,
    url: assetUrl(baseUrl, { checkId, resultId: id, name }),
    contentType: content_type,
    source:
      test === undefined
        ? { type: 'check-result' as const, checkId, checkResultId: id }
        : { type: 'test-session-result' as const, checkId, checkResultId: id, ...test },
  }))
  return {
    assets,
    entries: assets,
    entriesReturned: shown.length,
    entriesTotal: complete.length,
    truncated: shown.length < complete.length,
    refused: meant.flatMap(({ type, name, size, refused }) =>
      refused === null ? [] : [{ type: type as AssetType, name, size, reason: refused }],
    ),
  }
}

type AssetName = { checkId: string; resultId: string; name: string }

export const assetUrl = (baseUrl: string, { checkId, resultId, name }: AssetName): string =>
  `${baseUrl}/v1/check-results/${checkId}/${resultId}/assets/${encodeURIComponent(name)}`

/**
 * `*` is any run of characters, `?` one. Greedy with one point to go back to, so that no pattern takes more than
 * length × length steps.
 */
export const matchesGlob = (glob: string, text: string): boolean => {
  let at = 0
  let position = 0
  let star = -1
  let restart = 0
  while (position < text.length) {
    if (at < glob.length && glob[at] === '*') {
      star = at
      restart = position
      at += 1
    } else if (at < glob.length && (glob[at] === '?' || glob[at] === text[position])) {
      at += 1
      position += 1
    } else if (star !== -1) {
      at = star + 1
      restart += 1
      position = restart
    } else return false
  }
  return [...glob.slice(at)].every((rest) => rest === '*')
}

/** The manifest of a stored result. */
export const readAssets = async (
  { db, config: { baseUrl } }: App,
  result: Pick<ResultWithDoc, 'id' | 'check_id'>,
  of: { filter: Filter; test?: TestedResult },
): Promise<AssetManifest> =>
  assetManifest(result, await db.all(artifactsOfResult, { resultId: result.id }), { baseUrl, ...of })
