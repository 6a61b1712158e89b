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
]

/** Folders, and how many of their files may import each other in a circle, types included. */
export const circles: readonly { folder: string; maxFiles: number }[] = [
  { folder: 'agent', maxFiles: 47 },
  { folder: 'protocol', maxFiles: 17 },
]
