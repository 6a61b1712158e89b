/** Columns and actions that many lists have. Pure. */
import { html } from '../../platform/web/html/html.ts'
import type { Item, ItemAction } from './listing.ts'
import { agoOf, type Column } from './parts.ts'
import type { Visit } from './visit.ts'

export const byId = ({ id }: Item) => ({ id })
export const edit = (operation: string, params: ItemAction['params'] = byId): ItemAction => ({
  word: 'Edit',
  operation,
  params,
})
export const remove = (operation: string, params: ItemAction['params'] = byId): ItemAction => ({
  word: 'Delete',
  operation,
  params,
})
export const name = (link: (item: Item) => string): Column<Item> => ({
  label: 'Name',
  kind: 'main',
  cell: (item) => html`<a href="${link(item)}">${item.name}</a>`,
})
export const changed = ({ now }: Visit): Column<Item> => ({
  label: 'Changed',
  cell: (item) => agoOf(item.updated_at ?? item.created_at, now),
})
export const yes = (value: unknown): string => (value === true ? 'yes' : 'no')
