import type { Area } from './rooms.ts'

/** What `test/rooms.test.ts` holds an area to. `order` is from the top down; a file beside the folders is a room. */
export type HeldArea = Area & { maxRooms: number; maxArrows: number; maxUpward: number }

export const heldAreas: readonly HeldArea[] = [
  {
    folder: 'agent',
    order: [
      ...['main.ts', 'program', 'probe', 'jobs', 'artifacts', 'checks', 'agentic', 'browser', 'sandbox'],
      ...['broker', 'walls', 'reporting', 'own-network', 'judging', 'assertions', 'templates', 'dns', 'net'],
      ...['scrub', 'base', 'package.json'],
    ],
    maxRooms: 20,
    maxArrows: 81,
    maxUpward: 8,
  },
  {
    folder: 'control-plane/pages',
    order: ['app', 'sign-in', 'dashboard', 'docs', 'status', 'front', 'alerts', 'assets'],
    maxRooms: 8,
    maxArrows: 6,
    maxUpward: 0,
  },
  {
    folder: 'control-plane/insight',
    order: [
      ...['reporting', 'error-groups', 'result-pages', 'root-cause-analyses', 'analytics'],
      ...['alert-explanations', 'trace-viewer', 'badges', 'otlp', 'prometheus'],
    ],
    maxRooms: 10,
    maxArrows: 5,
    maxUpward: 0,
  },
  {
    folder: 'control-plane/monitoring',
    order: ['watches', 'runs', 'jobs', 'results', 'definitions', 'locations', 'schedule', 'artifacts'],
    maxRooms: 8,
    maxArrows: 20,
    maxUpward: 1,
  },
  {
    folder: 'control-plane/alerting',
    order: ['engine', 'check-alerts', 'notifications', 'alert-channels', 'channels', 'templates', 'messages'],
    maxRooms: 7,
    maxArrows: 14,
    maxUpward: 0,
  },
  {
    folder: 'control-plane/communication',
    order: [
      ...['announcements', 'status-pages', 'incidents', 'status-page-services', 'maintenance-windows'],
      ...['status-page-subscriptions', 'stored-pages'],
    ],
    maxRooms: 7,
    maxArrows: 18,
    maxUpward: 0,
  },
  {
    folder: 'control-plane/access',
    order: [
      ...['sessions', 'sign-in', 'members', 'api-keys', 'accounts', 'audit-log', 'credentials'],
      ...['runtimes', 'snippets', 'variables'],
    ],
    maxRooms: 10,
    maxArrows: 9,
    maxUpward: 0,
  },
]

/** Folders, and how many of their files may import each other in a circle, types included. */
export const circles: readonly { folder: string; maxFiles: number }[] = [
  { folder: 'agent', maxFiles: 47 },
  { folder: 'protocol', maxFiles: 17 },
]
