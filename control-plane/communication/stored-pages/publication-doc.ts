/** What `status_page_publications.doc` holds: how a page is given to visitors, and the words that it is told in. */
import { Type } from 'typebox'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { langs, wordsOf } from './words/languages.ts'
import type { Words } from './words/words.ts'

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

const languages = Type.Array(Type.Enum([...langs]), {
  maxItems: langs.length,
  uniqueItems: true,
  default: [],
  description:
    'Languages in which the page is offered to visitors; the first is its default, for who asks for none of them, and that of its mails. Empty: all, English first',
})

export const publicationFields = { frameAncestors, allowedNetworks, languages }

const PublicationDoc = Type.Object(publicationFields, { additionalProperties: false })
export const publicationDoc = storedDoc({ name: 'publication of a status page', schema: PublicationDoc })

const publicationDocs = query('docs-of-publications', (k, p: { pageIds: readonly string[] }, engine) =>
  k
    .selectFrom('status_page_publications')
    .select(['status_page_id', 'doc'])
    .where('status_page_id', 'in', engine.textList(p.pageIds)),
)

/** What a mail of a page is written in: the language of who gets it, where the page is offered in it, else its default. */
export const wordsOfPages = async (
  trx: Db,
  pageIds: readonly string[],
): Promise<(pageId: string, language: string | null) => Words> => {
  const rows = pageIds.length === 0 ? [] : await trx.all(publicationDocs, { pageIds })
  const known = new Map(
    rows.map(({ status_page_id, doc }) => [status_page_id, publicationDoc.read(doc).languages]),
  )
  return (pageId, language) => {
    const languages = known.get(pageId) ?? []
    const isOffered = language !== null && (languages.length === 0 || languages.includes(language))
    return wordsOf(isOffered ? language : languages[0])
  }
}
