export type Memory<Made> = {
  /** When so many answers are kept, all are forgotten. */
  limit: number
  /** What is too large to be kept is made anew each time. */
  keeps?(made: Made): boolean
}

/**
 * A pure function that keeps its answers: a check asks for the same patterns and paths in every run, and compiling them
 * costs more than using them.
 */
export const remembered = <Made>(
  make: (text: string) => Made,
  { limit, keeps = () => true }: Memory<Made>,
): ((text: string) => Made) => {
  const known = new Map<string, Made>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const made = make(text)
    if (!keeps(made)) return made
    if (known.size >= limit) known.clear()
    known.set(text, made)
    return made
  }
}
