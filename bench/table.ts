import type { Row } from './bench.ts'

type Column = { title: string; of: (row: Row) => string }

const columns: readonly Column[] = [
  { title: '#', of: ({ name }) => name },
  { title: 'work', of: ({ work }) => work },
  { title: 'ours', of: ({ ours }) => ours },
  { title: 'peer or limit', of: ({ against }) => against },
  { title: 'ratio', of: ({ ratio }) => ratio },
  { title: 'goal', of: ({ goal }) => goal },
  { title: 'verdict', of: ({ met }) => (met === null ? 'not compared' : met ? 'met' : 'MISSED') },
]

/** A table of fixed width, readable in a terminal and as Markdown. */
export const renderTable = (rows: readonly Row[]): string => {
  const cells = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ of }) => of(row)))]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)))
  const [head = [], ...body] = cells
  const line = (texts: string[]) => `| ${texts.map((text, i) => text.padEnd(widths[i] ?? 0)).join(' | ')} |`
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body.map(line)].join(
    '\n',
  )
}
