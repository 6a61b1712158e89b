/** Who is told about a page's incidents and maintenances. Only verified addresses are ever mailed. */
import { type Static, Type } from 'typebox'
import { DateTime, DateTimeOrNull } from '../../platform/words/shapes/instants.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { langs } from '../stored-pages/words/languages.ts'

const closed = { additionalProperties: false }
const id = Type.String({ format: 'uuid' })
const Kind = Type.Enum(['EMAIL'])
export const Address = Type.String({ format: 'email', maxLength: 254 })
const Status = Type.Enum(['PENDING', 'VERIFIED'])
export const Language = nullable(Type.Enum([...langs]), {
  default: null,
  description: 'Of its mails; null, or one that the page is not offered in: the default of the page',
})

const NewSubscription = Type.Object(
  { type: Kind, config: Type.Object({ address: Address }, closed), language: Type.Optional(Language) },
  { ...closed, title: 'NewSubscription' },
)

export const NewSubscriptions = Type.Object(
  {
    subscriptions: Type.Array(NewSubscription, { minItems: 1, maxItems: 100 }),
    autoVerify: Type.Optional(
      Type.Boolean({ default: false, description: 'They count as verified; nobody is asked' }),
    ),
  },
  { ...closed, title: 'NewSubscriptions' },
)
export type NewSubscriptions = Static<typeof NewSubscriptions>

export const CreatedSubscriptions = Type.Object(
  {
    created: Type.Integer(),
    skipped: Type.Integer({ description: 'Addresses that were subscribed already or sent twice' }),
    status: Status,
  },
  { title: 'CreatedSubscriptions' },
)
export type CreatedSubscriptions = Static<typeof CreatedSubscriptions>

export const Subscription = Type.Object(
  {
    ...{ id, type: Kind, address: Address, language: Language, status: Status },
    ...{ created_at: DateTime, updated_at: DateTimeOrNull },
  },
  { title: 'StatusPageSubscription' },
)
export type Subscription = Static<typeof Subscription>

export const SubscriptionId = Type.Object({ statusPageId: id, subscriptionId: id })
