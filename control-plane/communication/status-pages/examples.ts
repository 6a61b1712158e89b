import { exampleSummary } from '../incidents/schema.ts'
import { exampleService } from '../status-page-services/schema.ts'
import { examplePageId } from '../stored-pages/page-doc.ts'

export const exampleNewPage = {
  name: 'Shop',
  url: 'shop',
  cards: [{ name: 'Buying', services: [{ id: exampleService.id }] }],
}

export const examplePage = {
  id: examplePageId,
  accountId: exampleService.accountId,
  name: 'Shop',
  url: 'shop',
  description: null,
  translations: { de: { name: 'Laden' } },
  customDomain: null,
  themeColors: null,
  logo: null,
  logoDark: null,
  redirectTo: null,
  favicon: null,
  defaultTheme: 'AUTO',
  version: null,
  whiteLabel: false,
  isPrivate: false,
  cards: [
    {
      id: '8e7a5c3d-1f2b-4c6e-9d0a-3b4f5e6a7c81',
      name: 'Buying',
      translations: { de: { name: 'Kaufen' } },
      created_at: '2026-01-02T00:00:00.000Z',
      updated_at: null,
      services: [exampleService],
    },
  ],
  incidents: [exampleSummary],
  keys: [],
  created_at: '2026-01-02T00:00:00.000Z',
  updated_at: null,
}
