/** What the documents say of files is true: every path they name exists, but for what is installed only where somebody wants it. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('..', import.meta.url))
const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: root })]
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

/** Of the drawing of the house: the lines of a folder, which end at the next line that is not further in. */
const linesOfFolder = (drawing: readonly string[], name: string): string => {
  const from = drawing.findIndex((line) => line.trimStart().startsWith(`${name}/`))
  if (from < 0) return ''
  const depth = /^ */.exec(drawing[from] ?? '')?.[0].length ?? 0
  const rest = drawing.slice(from + 1)
  const end = rest.findIndex((line) => !line.startsWith(' '.repeat(depth + 1)))
  return [drawing[from], ...rest.slice(0, end < 0 ? rest.length : end)].join('\n')
}

t.test('every room of the house is in its drawing', async (t) => {
  const [, drawing = ''] =
    /## The house\n\n```\n([\s\S]*?)\n```/.exec(readFileSync(`${root}CONTRIBUTING.md`, 'utf8')) ?? []
  const foldersOf = (area: string): string[] =>
    readdirSync(`${root}${area}`, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() && entry.name !== 'node_modules' ? entry.name : [],
    )
  const areas = ['agent', 'protocol', ...foldersOf('control-plane').map((area) => `control-plane/${area}`)]
  const missing = areas.flatMap((area) => {
    const lines = linesOfFolder(drawing.split('\n'), basename(area))
    return foldersOf(area).flatMap((room) =>
      new RegExp(`(?<![\\w/-])${room}/`).test(lines) ? [] : `${area}/${room}`,
    )
  })
  t.ok(areas.length > 5)
  t.strictSame(missing, [])
})
