/** How a status page is given to visitors: who may frame it, from which networks it opens, its password and its domain. */
import { type Static, Type } from 'typebox'
import { DateTimeOrNull } from '../../platform/words/shapes/instants.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { optional } from '../../platform/words/shapes/optional-fields.ts'
import { publicationFields } from '../stored-pages/publication-doc.ts'

/** Only what is sent changes. */
export const PublicationChanges = Type.Object(
  {
    ...optional(publicationFields),
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
    ...publicationFields,
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
  languages: ['de', 'en'],
  hasPassword: false,
  domain: null,
}
