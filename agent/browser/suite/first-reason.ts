/** What of the output of a command says why it failed. Pure. */

const ofNpm = /^npm (?:error|ERR!) ?/
/** Of npm's words those that say nothing of the reason. */
const besides = /^(?:code |errno |syscall |path |A complete log|\d*$)/
const ofOthers =
  /^\s*(?:\[\w+\] )?(?:[A-Z]\w*Error|Error)(?: \[\w+\])?: |^\s*(?:error:? |ERR_PNPM_|✘|➤ YN0\d+: .*Error)/
const frame = /^\s+at /
const maxLines = 8

/** The first error that it told of, up to its stack, or what npm said of it; null: nothing looks like one. */
export const firstReason = (lines: readonly string[]): string | null => {
  const found = lines.findIndex((line) => ofNpm.test(line) || ofOthers.test(line))
  if (found === -1) return null
  const [first = '', ...others] = lines.slice(found)
  if (ofNpm.test(first)) return saidByNpm(lines)
  const stack = others.findIndex((line) => frame.test(line))
  return [first, ...others.slice(0, stack === -1 ? others.length : stack)]
    .slice(0, maxLines)
    .join('\n')
    .trim()
}

const saidByNpm = (lines: readonly string[]): string => {
  const words = lines.filter((line) => ofNpm.test(line)).map((line) => line.replace(ofNpm, '').trim())
  // Before it, and an empty line, stands what the command is for.
  const usage = words.indexOf('Usage:')
  return words
    .slice(0, usage === -1 ? words.length : usage - 2)
    .filter((line) => !besides.test(line))
    .slice(0, maxLines)
    .join('\n')
}
