/**
 * A deterministic automaton over the compiled program of a pattern (re2js), made as texts ask for it. It tells where the
 * first match can begin, in a few nanoseconds a character, whatever the pattern.
 *
 * Words: a *kernel* is the set of instructions that are alive between two characters, without those of a match that would
 * begin there: where it is empty, no match that began before goes on. A *state* is a kernel and the kind of the character
 * before it, which conditions such as `\b` ask for.
 */
import type { RE2JS } from 're2js'

type Instruction = { op: number; out: number; arg: number; matchRune(rune: number): boolean }
export type Kernel = readonly number[]

export type Automaton = {
  /** Instructions of the pattern. */
  size: number
  /** Characters that the pattern does not tell apart have one class; those of the first 256 are at hand. */
  classOf(rune: number): number
  latin1: Int32Array
  classes: number
  /** The state after a state (times `classes`, plus the class); 0 where it is not made yet. */
  table: Int32Array
  /** Without a kernel, after a character; null: at the start of the text. */
  quietAfter(rune: number | null): number
  /** Makes the next state: `found` where a match ends before this character, `full` where there is no room for another one. */
  make(state: number, rune: number): number
  /** Forgets all states but this one; its new number. */
  forget(state: number): number
  states(): number
  /** The instruction at which a match begins. */
  begin: number
  kernelOf(state: number): Kernel
  /** The kernel after a character, of what is alive already. */
  advance(kernel: Kernel, previous: number | null, rune: number): Kernel
}

export const endOfText = -1
export const found = -1
export const full = -2

/** Numbers of re2js: of instructions (Inst.js), and of the conditions of empty width (Utils.js). */
const [alt, altMatch, capture, emptyWidth] = [1, 2, 3, 4] as const
const [match, nop, firstRuneOp, lastRuneOp] = [6, 7, 8, 11] as const
const [beginLine, endLine, beginText, endText, boundary, noBoundary] = [1, 2, 4, 8, 16, 32] as const

/** Kinds of the character before. The states with these numbers have an empty kernel. */
const [atStart, afterNewline, afterWord, afterOther] = [1, 2, 3, 4] as const
export const lastQuiet = 4

/** Cells of the table: 64 KB. */
const maxCells = 16 * 1024

/** What the automaton is made from. `seen` marks in which round an instruction was come to. */
type Program = {
  instructions: readonly Instruction[]
  begin: number
  asksForNeighbours: boolean
  seen: Int32Array
  round: number
}

/** The states that have been made, by their number. */
type States = { kernels: Kernel[]; kinds: number[]; numbers: Map<string, number> }

export const createAutomaton = (pattern: RE2JS): Automaton => {
  const { dfa } = pattern.re2()
  const program = programOf(pattern)
  const classes = dfa.runeClass(maxRune) + 2
  const table = new Int32Array(Math.max(maxCells, classes * (lastQuiet + 3)))
  let states = quietStates()

  const classOf = (rune: number): number => (rune === endOfText ? classes - 1 : dfa.runeClass(rune))
  const numberOf = (kernel: Kernel, kind: number): number => {
    if (kernel.length === 0) return kind
    const key = `${kind}:${kernel}`
    const known = states.numbers.get(key)
    if (known !== undefined) return known
    const number = states.kernels.length
    if ((number + 1) * classes > table.length) return full
    states.kernels.push(kernel)
    states.kinds.push(kind)
    states.numbers.set(key, number)
    return number
  }

  return {
    size: program.instructions.length,
    begin: program.begin,
    classOf,
    latin1: Int32Array.from({ length: 256 }, (_, rune) => classOf(rune)),
    classes,
    table,
    quietAfter: (rune) => kindAfter(program, rune),
    make: (state, rune) => {
      const kernel = [...(states.kernels[state] as Kernel), program.begin]
      const { alive, isMatch } = closure(
        program,
        kernel,
        conditions(program, states.kinds[state] as number, rune),
      )
      const next = isMatch ? found : numberOf(after(program, alive, rune), kindAfter(program, rune))
      if (next !== full) table[state * classes + classOf(rune)] = next
      return next
    },
    forget: (state) => {
      const [kernel, kind] = [states.kernels[state] as Kernel, states.kinds[state] as number]
      table.fill(0)
      states = quietStates()
      return numberOf(kernel, kind)
    },
    states: () => states.kernels.length,
    kernelOf: (state) => states.kernels[state] as Kernel,
    advance: (kernel, previous, rune) => {
      const flags = conditions(program, kindAfter(program, previous), rune)
      return after(program, closure(program, kernel, flags).alive, rune)
    },
  }
}

const programOf = (pattern: RE2JS): Program => {
  const { prog } = pattern.re2()
  const instructions: Instruction[] = Array.from({ length: prog.numInst() }, (_, pc) => prog.getInst(pc))
  return {
    instructions,
    begin: prog.start,
    asksForNeighbours: instructions.some(({ op }) => op === emptyWidth),
    seen: new Int32Array(instructions.length),
    round: 0,
  }
}

const quietStates = (): States => ({
  kernels: Array.from({ length: lastQuiet + 1 }, () => []),
  kinds: [afterOther, atStart, afterNewline, afterWord, afterOther],
  numbers: new Map(),
})

const kindAfter = ({ asksForNeighbours }: Program, rune: number | null): number => {
  if (!asksForNeighbours) return afterOther
  if (rune === null) return atStart
  return rune === newline ? afterNewline : isWord(rune) ? afterWord : afterOther
}

/** What can take a character in, and whether a match ends before it. `flags`: the conditions that hold there. */
const closure = (
  program: Program,
  kernel: Kernel,
  flags: number,
): { alive: readonly number[]; isMatch: boolean } => {
  const { instructions, seen } = program
  const alive: number[] = []
  const stack = [...kernel]
  let isMatch = false
  program.round += 1
  for (let pc = stack.pop(); pc !== undefined; pc = stack.pop()) {
    if (seen[pc] === program.round) continue
    seen[pc] = program.round
    const { op, out, arg } = instructions[pc] as Instruction
    if (op === match) isMatch = true
    else if (op === alt || op === altMatch) stack.push(out, arg)
    else if (op === capture || op === nop) stack.push(out)
    else if (op === emptyWidth) {
      if ((arg & ~flags) === 0) stack.push(out)
    } else if (op >= firstRuneOp && op <= lastRuneOp) alive.push(pc)
  }
  return { alive, isMatch }
}

const after = ({ instructions }: Program, alive: readonly number[], rune: number): Kernel => {
  const outs = new Set<number>()
  if (rune !== endOfText)
    for (const pc of alive) {
      const one = instructions[pc] as Instruction
      if (one.matchRune(rune)) outs.add(one.out)
    }
  return [...outs].sort((a, b) => a - b)
}

const conditions = ({ asksForNeighbours }: Program, kind: number, rune: number): number =>
  asksForNeighbours ? conditionsBetween(kind, rune) : 0

const maxRune = 0x10ffff
const newline = 10

/** `\w` and `\b` of RE2 know ASCII only. */
const isWord = (rune: number): boolean =>
  (rune >= 48 && rune <= 57) || (rune >= 65 && rune <= 90) || rune === 95 || (rune >= 97 && rune <= 122)

const conditionsBetween = (kind: number, rune: number): number => {
  const isAtStart = kind === atStart
  const isAtEnd = rune === endOfText
  return (
    (isAtStart ? beginText : 0) |
    (isAtStart || kind === afterNewline ? beginLine : 0) |
    (isAtEnd ? endText : 0) |
    (isAtEnd || rune === newline ? endLine : 0) |
    ((kind === afterWord) === (!isAtEnd && isWord(rune)) ? noBoundary : boundary)
  )
}
