/**
 * Examples of a document that run as they stand. The line above the code says what each is: `ts <path>` is a script, with
 * `multi-step` behind it one without a browser; `ts with <path>` and `js snippet <name>` belong to the script before them.
 */
import { readFileSync } from 'node:fs'
import type { ExampleScript } from './example-scripts.ts'

const root = new URL('../../', import.meta.url)
const block = /^```(?:ts|js|json) (?:(with|snippet) )?(\S+)( multi-step)?\n([\s\S]*?)^```$/gm

export const documentExamples = (document: string): ExampleScript[] => {
  const examples: ExampleScript[] = []
  for (const [, kind, path = '', withoutBrowser, code = ''] of readFileSync(
    new URL(document, root),
    'utf8',
  ).matchAll(block)) {
    const last = examples.at(-1)
    if (kind === undefined) {
      const checkType = withoutBrowser === undefined ? ('BROWSER' as const) : ('MULTI_STEP' as const)
      examples.push({ name: `${document}: ${path}`, script: code, change: { scriptPath: path, checkType } })
    } else if (last === undefined) throw new Error(`${path} belongs to no script`)
    else if (kind === 'with')
      last.change.dependencies = [...(last.change.dependencies ?? []), { path, content: code }]
    else last.change.snippets = [...(last.change.snippets ?? []), { name: path, code }]
  }
  return examples
}
