/** How a status page is given to visitors: who may frame it, from which networks it opens, its password and its domain. */
import { type Static, Type } from 'typebox'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { DateTimeOrNull } from '../../platform/words/shapes/instants.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'

const frameAncestors = Type.Array(
  Type.String({ pattern: '^https?://[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?$', description: 'An origin' }),
  {
    maxItems: 20,
    uniqueItems: true,
    default: [],
    description: 'Sites that may show the page and its embedded line in a frame',
  },
)
const allowedNetworks = Type.Array(Type.String({ maxLength: 49, description: 'CIDR or one address' }), {
  maxItems: 100,
  uniqueItems: true,
  default: [],
  description: 'From here a private page opens without a password',
})

const PublicationDoc = Type.Object({ frameAncestors, allowedNetworks }, { additionalProperties: false })
export const publicationDoc = storedDoc({ name: 'publication of a status page', schema: PublicationDoc })

/** Only what is sent changes. */
export const PublicationChanges = Type.Object(
  {
    frameAncestors: Type.Optional(frameAncestors),
    allowedNetworks: Type.Optional(allowedNetworks),
    password: Type.Optional(
      nullable(Type.String({ minLength: 12, maxLength: 200 }), {
        description: 'Of a private page, beside the generated one; null takes it away. It is never shown',
      }),
    ),
  },
  { additionalProperties: false, title: 'StatusPagePublicationChanges' },
)
export type PublicationChanges = Static<typeof PublicationChanges>

const DomainRecord = Type.Object(
  { type: Type.Enum(['TXT', 'CNAME']), name: Type.String(), value: Type.String() },
  { title: 'DomainRecord' },
)

export const Publication = Type.Object(
  {
    frameAncestors,
    allowedNetworks,
    hasPassword: Type.Boolean(),
    domain: nullable(
      Type.Object(
        {
          name: Type.String(),
          isProven: Type.Boolean({ description: 'Only then the page is shown under it' }),
          checkedAt: DateTimeOrNull,
          records: Type.Array(DomainRecord, { description: 'One of these in the DNS proves the domain' }),
        },
        { title: 'StatusPageDomain' },
      ),
      { description: 'Of `customDomain`; null where there is none' },
    ),
  },
  { title: 'StatusPagePublication' },
)
export type Publication = Static<typeof Publication>

export const examplePublication: Publication = {
  frameAncestors: ['https://www.example.com'],
  allowedNetworks: ['192.0.2.0/24'],
  hasPassword: false,
  domain: null,
}
