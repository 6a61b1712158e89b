import type { Sections } from '../rule.ts'

export const snippetAndLocation: Sections = {
  Snippet: [
    'id: number',
    'name: text, required on creation',
    'script: text, required on creation',
    'created_at: date-time',
    'updated_at: date-time or null',
  ],
  Location: ['region: text, unique, always there', 'name: text, always there'],
}
