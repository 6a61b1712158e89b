import type { ArtifactsTable } from '../../platform/store/database/tables/artifacts.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import { count, say } from '../../platform/web/html/say.ts'
import { section } from '../../platform/web/html/section.ts'
import { bytes } from '../../platform/web/html/words.ts'
import { fileUrl } from './evidence-sections.ts'
import { kindInWords } from './file-kind.ts'
import type { ResultFacts } from './read-facts.ts'

const maxFiles = 100

/** All that the run left behind, for keeping. Secrets were taken out where it ran. */
export const fileSection = ({ files, pageUrl, apiUrl }: ResultFacts): Html | null => {
  const known = files.filter(({ completed_at, refused }) => completed_at !== null || refused !== null)
  if (known.length === 0) return null
  const left = known.length - maxFiles
  return section(count(known.length, { one: '# file', other: '# files' }), [
    html`<ul class="plain">${known.slice(0, maxFiles).map((file) => fileItem(file, pageUrl))}</ul>`,
    left > 0
      ? html`<p class="quiet">And ${count(left, { one: '# other file', other: '# other files' })}.</p>`
      : null,
    html`<p class="quiet">With an API key: <code>GET ${apiUrl}/assets</code></p>`,
  ])
}

const fileItem = (file: ArtifactsTable, pageUrl: string): Html => {
  const { name, size, refused } = file
  const about = [say(kindInWords(file)), ', ', bytes(size)]
  return refused === null
    ? html`<li><a href="${fileUrl(pageUrl, file)}" download>${name}</a> <span class="quiet">${about}</span></li>`
    : html`<li>${name} <span class="quiet">${about} (not kept: ${refused})</span></li>`
}
