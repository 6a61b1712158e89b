/** What the documents say of files is true: every path they name exists, but for what is installed only where somebody wants it. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('..', import.meta.url))
const documents = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root })]
/** A path from the root in code font; those with a placeholder (`<type>`, `{…}`, `*`) are recipes. */
const paths = /`((?:agent|control-plane|protocol|runtimes|test|bench|docs|start)\/[\w./-]+)`/g

for (const document of documents.sort())
  t.test(`${document} names only files and folders that exist`, async (t) => {
    const text = readFileSync(`${root}${document}`, 'utf8')
    const missing = [...text.matchAll(paths)]
      .map(([, path = '']) => path)
      .filter((path) => !path.split('/').includes('node_modules') && !existsSync(`${root}${path}`))
    t.strictSame(missing, [])
  })

for (const document of documents)
  t.test(`${document} links only to files and folders that exist`, async (t) => {
    const text = readFileSync(`${root}${document}`, 'utf8')
    const missing = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !existsSync(join(root, dirname(document), target)))
    t.strictSame(missing, [])
  })

t.test('the path of one run is at most twelve files', async (t) => {
  const [, section = ''] =
    /## The path of one run[^\n]*\n([\s\S]*?)\n## /.exec(readFileSync(`${root}CONTRIBUTING.md`, 'utf8')) ?? []
  const steps = [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, path]) => path)
  t.ok(steps.length >= 8 && steps.length <= 12, `${steps.length} files`)
})
