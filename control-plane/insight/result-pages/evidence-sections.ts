/** What a browser left behind of its run, to be looked at: its trace, its pictures, its films. Pure. */
import type { ArtifactsTable } from '../../platform/store/database/tables/artifacts.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { count, listed, say } from '../../platform/web/html/say.ts'
import { code, section } from '../../platform/web/html/section.ts'
import { bytes } from '../../platform/web/html/words.ts'
import { isTrace, shownAs } from './file-kind.ts'
import type { ResultFacts } from './read-facts.ts'

/** All of them are among the files; a page that loads more would only be slow. */
const maxPictures = 12
const maxTraces = 10

export const evidenceSections = (facts: ResultFacts): Array<Html | null> => [
  traceSection(facts),
  pictureSection(facts),
]

export const fileUrl = (pageUrl: string, { position }: ArtifactsTable): string =>
  `${pageUrl}/files/${position}`

const traceSection = ({ files, pageUrl, canShowTraces }: ResultFacts): Html | null => {
  const traces = files.filter(isTrace).slice(0, maxTraces)
  if (traces.length === 0) return null
  const rows = traces.map((file) =>
    canShowTraces
      ? html`<p><a class="action" href="${pageUrl}/traces/${file.position}">Open the trace</a> <span class="quiet">${file.name}, ${bytes(file.size)}</span></p>`
      : html`<p><a class="action" href="${fileUrl(pageUrl, file)}">Download the trace</a> <span class="quiet">${file.name}, ${bytes(file.size)}</span></p>`,
  )
  return section(
    traces.length === 1 ? say('Trace') : count(traces.length, { one: '# trace', other: '# traces' }),
    [
      rows,
      html`<p class="quiet">${
        canShowTraces
          ? say(
              'Every action with the page as it was then, its requests and its console, in Playwright’s own viewer (which needs JavaScript). ',
            )
          : say('This installation has no viewer for it. ')
      }On your own machine: ${code('npx playwright show-trace <file>')}</p>`,
    ],
  )
}

const pictureSection = ({ files, pageUrl }: ResultFacts): Html | null => {
  const shown = files.filter((file) => shownAs(file) !== null).slice(0, maxPictures)
  if (shown.length === 0) return null
  const videos = shown.filter(({ type }) => type === 'video')
  const pictures = shown.filter(({ type }) => type !== 'video')
  const title = listed([
    ...(pictures.length === 0 ? [] : [pictureTitle(pictures.length)]),
    ...(videos.length === 0 ? [] : [videoTitle(videos.length)]),
  ])
  return section(
    title,
    html`<div class="${shown.length === 1 ? 'pictures single' : 'pictures'}">${[...pictures, ...videos].map((file) => figure(file, pageUrl))}</div>`,
  )
}

/** `Screenshot`, `2 screenshots` */
const pictureTitle = (total: number): Content =>
  total === 1 ? say('Screenshot') : count(total, { one: '# screenshot', other: '# screenshots' })
const videoTitle = (total: number): Content =>
  total === 1 ? say('Video') : count(total, { one: '# video', other: '# videos' })

const figure = (file: ArtifactsTable, pageUrl: string): Html => {
  const url = fileUrl(pageUrl, file)
  return file.type === 'video'
    ? html`<figure><video controls preload="metadata" src="${url}" aria-label="${file.name}"></video><figcaption>${file.name}</figcaption></figure>`
    : html`<figure><a href="${url}"><img loading="lazy" src="${url}" alt="Screenshot ${file.name}"></a><figcaption>${file.name}</figcaption></figure>`
}
