/** Columns and actions that many lists have. Pure. */

import { type Content, html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import type { ItemAction } from './listing.ts'
import { agoOf, type Column } from './parts.ts'
import type { RequestContext } from './request-context.ts'

type WithId = { id: string | number }

export const byId = ({ id }: WithId) => ({ id })
export const edit = (operation: string): ItemAction<WithId> => editBy(operation, byId)
export const remove = (operation: string): ItemAction<WithId> => removeBy(operation, byId)

/** Of what the API names otherwise than by `id`. */
export const editBy = <Item>(operation: string, params: ItemAction<Item>['params']): ItemAction<Item> => ({
  word: 'Edit',
  operation,
  params,
})
export const removeBy = <Item>(operation: string, params: ItemAction<Item>['params']): ItemAction<Item> => ({
  word: 'Delete',
  operation,
  params,
})

export const name = (link: (id: WithId['id']) => string): Column<WithId & { name: string }> => ({
  label: 'Name',
  kind: 'main',
  cell: (item) => html`<a href="${link(item.id)}">${item.name}</a>`,
})
export const changed = ({
  now,
}: RequestContext): Column<{ created_at: string; updated_at: string | null | undefined }> => ({
  label: 'Changed',
  cell: (item) => agoOf(item.updated_at ?? item.created_at, now),
})
export const yes = (value: boolean): Content => (value ? say('yes') : say('no'))
