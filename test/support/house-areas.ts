import type { Area } from './rooms.ts'

/** What `test/rooms.test.ts` holds an area to. `order` is from the top down; a file beside the folders is a room. */
export type HeldArea = Area & { maxRooms: number; maxArrows: number }

export const heldAreas: readonly HeldArea[] = [
  {
    folder: 'agent',
    order: [
      ...['main.ts', 'program', 'probe', 'jobs', 'artifacts', 'checks', 'agentic', 'browser', 'sandbox'],
      ...['broker', 'walls', 'reporting', 'own-network', 'judging', 'assertions', 'templates', 'dns', 'net'],
      ...['scrub', 'base', 'package.json'],
    ],
    maxRooms: 20,
    maxArrows: 76,
  },
]

/** Folders of which no file imports itself through others, types included. */
export const withoutCircles: readonly string[] = ['agent', 'protocol']
