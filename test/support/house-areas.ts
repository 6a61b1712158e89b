import type { Area } from './rooms.ts'

/** What `test/rooms.test.ts` holds an area to. `order` is from the top down; a file beside the folders is a room. */
export type HeldArea = Area & { maxRooms: number; maxArrows: number }

export const heldAreas: readonly HeldArea[] = [
  {
    folder: 'agent',
    order: [
      ...['main.ts', 'program', 'probe', 'jobs', 'orders', 'artifacts', 'checks', 'agentic', 'browser'],
      ...[
        'sandbox',
        'egress-proxy',
        'isolation',
        'reporting',
        'own-network',
        'judging',
        'assertions',
        'templates',
        'dns',
        'net',
      ],
      ...['scrub', 'base', 'package.json'],
    ],
    maxRooms: 21,
    maxArrows: 84,
  },
  {
    folder: 'control-plane/pages',
    order: ['app', 'sign-in', 'boards', 'dashboard', 'docs', 'status', 'front', 'alerts', 'assets'],
    maxRooms: 9,
    maxArrows: 9,
  },
  {
    folder: 'control-plane/insight',
    order: [
      ...['reporting', 'error-groups', 'result-pages', 'root-cause-analyses', 'analytics'],
      ...['alert-explanations', 'trace-viewer', 'badges', 'otlp', 'prometheus'],
    ],
    maxRooms: 10,
    maxArrows: 5,
  },
  {
    folder: 'control-plane/monitoring',
    order: [
      'projects',
      'watches',
      'runs',
      'jobs',
      'results',
      'definitions',
      'locations',
      'schedule',
      'artifacts',
      'outcomes',
    ],
    maxRooms: 10,
    maxArrows: 28,
  },
  {
    folder: 'control-plane/alerting',
    order: ['engine', 'check-alerts', 'notifications', 'alert-channels', 'channels', 'templates', 'messages'],
    maxRooms: 7,
    maxArrows: 14,
  },
  {
    folder: 'control-plane/communication',
    order: [
      ...[
        'announcements',
        'dashboards',
        'status-pages-v3',
        'status-pages',
        'incidents',
        'status-page-services',
        'maintenance-windows',
      ],
      ...['status-page-subscriptions', 'stored-pages'],
    ],
    maxRooms: 9,
    maxArrows: 28,
  },
  {
    folder: 'control-plane/access',
    order: [
      ...['sessions', 'sign-in', 'members', 'api-keys', 'accounts', 'audit-log', 'credentials'],
      ...['runtimes', 'snippets', 'variables', 'changes'],
    ],
    maxRooms: 11,
    maxArrows: 11,
  },
  {
    folder: 'control-plane/platform',
    order: ['web', 'services', 'retention', 'long-reads', 'app', 'settings', 'store', 'words'],
    maxRooms: 8,
    maxArrows: 20,
  },
]

/** Folders of which no file imports itself through others, types included. */
export const withoutCircles: readonly string[] = ['agent', 'protocol']
