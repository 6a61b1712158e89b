/** Every file that a page names. */
import { type Asset, assetOf, icon, localTimes } from '../../platform/web/html/assets.ts'

/** The island of status pages. */
export const statusScript = assetOf(new URL('status.js', import.meta.url))

/** The script of the dashboard's pages. They are whole without it. */
export const dashboardScript = assetOf(new URL('dashboard.js', import.meta.url))

/** The island of forms: rows, searches and editors without losing one's place. */
export const formScript = assetOf(new URL('forms.js', import.meta.url))

/** The island of programs in forms: colours, numbers of lines, and where one cannot be parsed. */
export const editorScript = assetOf(new URL('editor.js', import.meta.url))

/** Asks the browser for passkeys. */
export const passkeyScript = assetOf(new URL('passkey.js', import.meta.url))

/** Words to look for in the list of operations. */
export const docsSearch = assetOf(new URL('docs-search.js', import.meta.url))

export const assets: readonly Asset[] = [
  icon,
  statusScript,
  passkeyScript,
  docsSearch,
  localTimes,
  dashboardScript,
  formScript,
  editorScript,
]
