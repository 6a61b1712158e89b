import type { Sections } from '../rule.ts'

export const statusPage: Sections = {
  'Status page, card, service': [
    'status page id: text',
    'status page name: text, required',
    'status page url: text, required',
    'status page cards: a list, required on creation',
    'status page description: text or null, at most 500 characters',
    'status page customDomain: text or null',
    'status page themeColors: light and dark, twelve colours each',
    'status page logo: text or null',
    'status page redirectTo: text or null',
    'status page favicon: text or null',
    'status page defaultTheme: LIGHT, DARK or AUTO, default AUTO',
    'status page whiteLabel: boolean',
    'status page isPrivate: boolean, default false',
    'every field of a status page is in what is read, with its type',
    'card: a request has name, id, statusPageId and services',
    'card: a response has id, name, created_at, updated_at and services',
    'service: id, name, accountId, created_at and updated_at',
  ],
}
