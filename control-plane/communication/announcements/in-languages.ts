/** A mail for each language in which subscribers of a page are told of what touches these services. */
import type { Db } from '../../platform/store/database/db.ts'
import type { StatusPagesTable } from '../../platform/store/database/tables/status-pages.ts'
import type { PageMail } from '../status-page-subscriptions/announce.ts'
import { type PageDoc, pageDoc } from '../stored-pages/page-doc.ts'
import { wordsOfPages } from '../stored-pages/publication-doc.ts'
import { inLanguage } from '../stored-pages/translations.ts'
import type { Words } from '../stored-pages/words/words.ts'
import { type MailMoment, pageLinks } from './page-links.ts'
import { languagesOfSubscribers } from './queries.ts'

type Subject = { pages: readonly StatusPagesTable[]; services: readonly { id: string }[]; moment: MailMoment }
type SaidPage = { name: PageDoc['name']; links: readonly string[] }

export const inLanguages = async (
  trx: Db,
  { pages, services, moment }: Subject,
  write: (words: Words, page: SaidPage) => PageMail['content'],
): Promise<PageMail[]> => {
  const pageIds = pages.map(({ id }) => id)
  const serviceIds = services.map(({ id }) => id)
  const links = await pageLinks(trx, pages, moment)
  const wordsOf = await wordsOfPages(trx, pageIds)
  const asked = await trx.all(languagesOfSubscribers, { pageIds, serviceIds })
  return pages.flatMap(({ id, doc }) =>
    asked
      .filter(({ status_page_id }) => status_page_id === id)
      .map(({ language }) => {
        const words = wordsOf(id, language)
        const { name } = inLanguage(pageDoc.read(doc), words.lang)
        return {
          pageId: id,
          language,
          serviceIds,
          content: write(words, { name, links: links.get(id) ?? [] }),
        }
      }),
  )
}
