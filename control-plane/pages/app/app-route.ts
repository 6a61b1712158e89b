/** What the pages of those who are signed in have in common. */
import { Type } from 'typebox'

export const appRoute = {
  access: 'READ_ONLY',
  page: true,
  tag: 'Pages',
  responseType: 'text/html',
  response: Type.String(),
} as const

/** An instant to the minute. */
export const minutes = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
