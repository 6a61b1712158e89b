/** The README of a chart: its values with their defaults and the comments that stand over them. */
import { type Document, isMap, isScalar, type Pair, type YAMLMap } from 'yaml'
import type { Chart } from './common-values.ts'

type Row = { path: string; value: unknown; meaning: string }

const commentOf = (pair: Pair, isFirst: boolean, map: YAMLMap): string => {
  const key = isScalar(pair.key) ? pair.key.commentBefore : null
  // The comment over the first key of a map is the map's.
  return [isFirst ? map.commentBefore : null, key].filter((text) => typeof text === 'string').join('\n')
}

const meaningOf = (comment: string): string | null => {
  const at = comment.lastIndexOf(' -- ')
  return at === -1
    ? null
    : comment
        .slice(at + 4)
        .replace(/\s*\n\s*/g, ' ')
        .trim()
}

const rowsOf = (map: YAMLMap, path: string, document: Document): Row[] =>
  map.items.flatMap((pair, position) => {
    const name = String(isScalar(pair.key) ? pair.key.value : pair.key)
    const own = path === '' ? name : `${path}.${name}`
    const meaning = meaningOf(commentOf(pair, position === 0, map))
    if (meaning !== null) {
      const value =
        isMap(pair.value) || pair.value === null ? document.getIn(own.split('.'), true) : pair.value
      return [{ path: own, value: (value as { toJS(document: Document): unknown }).toJS(document), meaning }]
    }
    if (!isMap(pair.value)) throw new Error(`The value ${own} has no comment that begins with "# --"`)
    return rowsOf(pair.value, own, document)
  })

const cell = (text: string): string => text.replaceAll('|', '\\|')

/** @throws Error for a value that nothing explains */
export const chartReadme = (document: Document, chart: Chart): string => {
  const rows = rowsOf(document.contents as YAMLMap, '', document)
  const taken = Object.entries(chart.taken).map(([variable, value]) => `| \`${variable}\` | ${cell(value)} |`)
  return `# ${chart.title}

${chart.introduction}

A name that does not exist is refused, here, among the settings and inside of what Kubernetes knows, and so is a value that the program or an API server would
refuse: \`helm install\` says where it stands, before anything is made. Everything that the chart makes meets
the restricted Pod Security Standard as it is.

## Values

| Value | Default | Meaning |
|---|---|---|
${rows.map(({ path, value, meaning }) => `| \`${path}\` | \`${cell(JSON.stringify(value))}\` | ${cell(meaning)} |`).join('\n')}

## Settings that values stand for

All others of [the environment](../../docs/deploy/environment.md) are set by \`settings\`.

| Variable | Set by |
|---|---|
${taken.join('\n')}
`
}
