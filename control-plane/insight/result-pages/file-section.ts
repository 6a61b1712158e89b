import type { ArtifactsTable } from '../../platform/database/tables/artifacts.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { section } from '../../platform/html/section.ts'
import { bytes, counted } from '../../platform/html/words.ts'
import { fileUrl } from './evidence-sections.ts'
import { kindInWords } from './file-kind.ts'
import type { ResultFacts } from './read-facts.ts'

const mostFiles = 100

/** All that the run left behind, for keeping. Secrets were taken out where it ran. */
export const fileSection = ({ files, pageUrl, apiUrl }: ResultFacts): Html | null => {
  const known = files.filter(({ completed_at, refused }) => completed_at !== null || refused !== null)
  if (known.length === 0) return null
  const left = known.length - mostFiles
  return section(counted(known.length, 'file'), [
    html`<ul class="plain">${known.slice(0, mostFiles).map((file) => fileItem(file, pageUrl))}</ul>`,
    left > 0 ? html`<p class="quiet">And ${counted(left, 'other file')}.</p>` : null,
    html`<p class="quiet">With an API key: <code>GET ${apiUrl}/assets</code></p>`,
  ])
}

const fileItem = (file: ArtifactsTable, pageUrl: string): Html => {
  const { name, size, refused } = file
  const about = `${kindInWords(file)}, ${bytes(size)}`
  return refused === null
    ? html`<li><a href="${fileUrl(pageUrl, file)}" download>${name}</a> <span class="quiet">${about}</span></li>`
    : html`<li>${name} <span class="quiet">${about} (not kept: ${refused})</span></li>`
}
