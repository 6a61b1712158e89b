/** Why a link to a result or to one of its files does not lead there. */
import { notice, wantsPage } from '../../platform/web/html/html-page.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { ApiError } from '../../platform/words/errors.ts'

export const refusals = {
  wrong: {
    status: 404,
    title: 'This link does not work',
    text: [
      'It may have been cut off or changed on its way: open it from the message itself, or copy all of it.',
      'Results are also in the API, for whoever has a key.',
    ],
  },

  expired: {
    status: 410,
    title: 'This link has expired',
    text: [
      'Links in messages work for 30 days.',
      'What is still kept of the result, and newer results of its check, are in the API, for whoever has a key.',
    ],
  },

  gone: {
    status: 410,
    title: 'There is no such result any more',
    text: [
      'Most likely its check was deleted.',
      'If the check still exists, its newer results are in the API, for whoever has a key.',
    ],
  },
  noFile: {
    status: 404,
    title: 'There is no such file',
    text: [
      'Files of a run are kept for 30 days where it failed, and for 7 days where it did not.',
      'The page of the result says which ones there are.',
    ],
  },
}

type Refusal = (typeof refusals)['wrong']

/** In a browser a page that says what to do, elsewhere the error as everywhere in the API. */
export const refuse = (
  { status, title, text }: Refusal,
  headers: Readonly<Record<string, string | undefined>>,
): Reply<string> => {
  if (!wantsPage(headers)) throw new ApiError(status, title)
  return notice({ status, title, text })
}
