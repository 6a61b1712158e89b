/**
 * What the viewer may do. What a trace holds is hostile: pages that a script opened, as they were. So the viewer runs its own
 * code only, speaks to its own folder and to addresses of traces only, and pages of a trace run nothing. Pure.
 */
import { createHash } from 'node:crypto'

export const viewerPath = '/trace-viewer'
export const tracePath = '/result-files'

/** `html`: the viewer's own page, whose scripts within are named by their hashes. */
export const pagePolicy = (baseUrl: string, html: string): string => {
  const own = `${baseUrl}${viewerPath}/`
  return directives({
    'default-src': "'none'",
    'script-src': [own, ...inlineScripts(html).map(hashOf)].join(' '),
    // The viewer colours what it shows by attributes.
    'style-src': `${own} 'unsafe-inline'`,
    'img-src': `${own} blob: data:`,
    'media-src': `${own} blob:`,
    'font-src': `${own} data:`,
    'connect-src': own,
    'worker-src': own,
    'manifest-src': own,
    // An empty page, as the viewer writes it, before there is another one.
    'frame-src': `${own} data:`,
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  })
}

/** Of the service worker: the only one that reads traces. */
export const workerPolicy = (baseUrl: string): string =>
  directives({
    'default-src': "'none'",
    'script-src': `${baseUrl}${viewerPath}/`,
    'connect-src': `${baseUrl}${viewerPath}/ ${baseUrl}${tracePath}/`,
  })

/** Of all else that is served to the viewer: no document. */
export const assetPolicy = "default-src 'none'; sandbox; frame-ancestors 'none'"

/**
 * Of a page of a trace, but for the hash of the one script that shows it, which the worker adds. Its requests are answered by the
 * worker from the trace. `allow-same-origin`: a worker answers no others.
 */
export const snapshotPolicy = (baseUrl: string): string =>
  directives({
    'default-src': "'none'",
    'style-src': "* data: blob: 'unsafe-inline'",
    'img-src': '* data: blob:',
    'font-src': '* data: blob:',
    'frame-src': `${baseUrl}${viewerPath}/ data:`,
    'form-action': "'none'",
    sandbox: 'allow-scripts allow-same-origin',
  })

const directives = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')

const inlineScripts = (html: string): string[] =>
  [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = '']) => script)

const hashOf = (script: string): string => `'sha256-${createHash('sha256').update(script).digest('base64')}'`
