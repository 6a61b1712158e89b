/** Reads what a group of test files printed (test/support/group-program.ts). Pure. */

/** `mark` begins the lines that say where the output of a file begins and ends: unguessable, so that no test writes one. */
export type Group = { files: string[]; mark: string; fileTimeoutMs: number }

export type Mark = { begins: string } | { ends: string; durationMs: number; processorSeconds: number | null }

export type Section = {
  file: string
  text: string
  hasEnded: boolean
  durationMs: number
  processorSeconds: number | null
}

export type Sections = {
  sections: Section[]
  /** What was printed between and after the files. */
  outside: string
}

/** The files that began, in order, each with what was printed until it ended. */
export function readSections(output: string, mark: string): Sections {
  const [before = '', ...parts] = output.split(`\n${mark} `)
  const sections: Section[] = []
  const outside = [before]
  for (const part of parts) {
    const lineEnd = part.indexOf('\n')
    const fact: Mark = JSON.parse(part.slice(0, lineEnd))
    const text = part.slice(lineEnd + 1)
    const last = sections.at(-1)
    if ('begins' in fact)
      sections.push({ file: fact.begins, text, hasEnded: false, durationMs: 0, processorSeconds: null })
    else if (last?.file === fact.ends) {
      const { durationMs, processorSeconds } = fact
      Object.assign(last, { hasEnded: true, durationMs, processorSeconds })
      outside.push(text)
    }
  }
  return { sections, outside: outside.join('\n') }
}

/** As the file would have printed it alone: in a group it is a subtest, which tap indents. */
export const unindent = (text: string): string => text.replace(/^ {4}/gm, '')
