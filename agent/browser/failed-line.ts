import { scriptBounds } from '../../protocol/checks/script-bounds.ts'
import type { FailedLine } from '../../protocol/checks/script-result.ts'
import type { ScriptSpec } from '../../protocol/checks/script-spec.ts'
import { layoutOf } from './layout.ts'
import type { ScriptError } from './task.ts'

const { neighbours, lineLength } = scriptBounds

/** The line that failed and those around it, as they were in this run. Null where no line is known. Pure. */
export const failedLineOf = (
  spec: ScriptSpec,
  { path, line }: Pick<ScriptError, 'path' | 'line'>,
): FailedLine | null => {
  const layout = layoutOf(spec)
  if (line === null || 'problem' in layout) return null
  const failed = path ?? layout.entry
  const lines = (layout.files.get(failed) ?? '').split(/\r\n|[\n\r\u2028\u2029]/)
  if (line < 1 || line > lines.length) return null
  const firstLine = Math.max(1, line - neighbours)
  return {
    path: failed,
    line,
    firstLine,
    lines: lines
      .slice(firstLine - 1, line + neighbours)
      .map((text) => (text.length > lineLength ? `${text.slice(0, lineLength)}…` : text)),
  }
}
