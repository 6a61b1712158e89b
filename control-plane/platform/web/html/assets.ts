/** Single files that pages name: served as they are, under a name with their hash, so that browsers keep them for good. No build step. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

export type Asset = {
  /** `/assets/status.0f3a….js` */
  path: string
  /** Subresource integrity, which is what the policy of a page names, too. */
  integrity: string
  contentType: string
  bytes: Buffer
  gzip: Buffer
}

const contentTypes: { [ending: string]: string } = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
}

/** `file`: where it is; its name is what comes before the hash. */
export const assetOf = (file: URL): Asset => {
  const bytes = readFileSync(file)
  const [name = '', ending = ''] = (file.pathname.split('/').at(-1) ?? '').split(/\.(?=[^.]+$)/)
  const contentType = contentTypes[ending]
  if (contentType === undefined) throw new Error(`Assets of type ${ending} are not known`)
  const digest = createHash('sha256').update(bytes).digest()
  return {
    path: `/assets/${name}.${digest.subarray(0, 8).toString('hex')}.${ending}`,
    integrity: `sha256-${digest.toString('base64')}`,
    contentType,
    bytes,
    gzip: gzipSync(bytes, { level: 9 }),
  }
}

/** The icon of pages that have none of their own. */
export const icon = assetOf(new URL('watchpost.svg', import.meta.url))

/** An island: times of a page in the reader's zone. */
export const localTimes = assetOf(new URL('local-times.js', import.meta.url))
