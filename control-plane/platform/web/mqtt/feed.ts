import type { App } from '../../app/app.ts'

type Message = { topic: string; payload: string }

/** What a subscriber is told, until there is no more to say or its signal aborts. */
type Telling = (send: (message: Message) => void, signal: AbortSignal) => Promise<void>

/** Who may hear what. Null: the filter is none of this feed's, or of another account. */
export type Feed<A extends App = App> = (
  app: A,
  subscription: { filter: string; accountId: string },
) => Telling | null
