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

export const createAutomaton = (pattern: RE2JS): Automaton => {
  const { prog, dfa } = pattern.re2()
  const program: Instruction[] = Array.from({ length: prog.numInst() }, (_, pc) => prog.getInst(pc))
  const asksForNeighbours = program.some(({ op }) => op === emptyWidth)
  const classes = dfa.runeClass(maxRune) + 2
  const table = new Int32Array(Math.max(maxCells, classes * (lastQuiet + 3)))
  const seen = new Int32Array(program.length)
  let round = 0
  let kernels: Kernel[] = []
  let kinds: number[] = []
  let numbers = new Map<string, number>()

  const kindAfter = (rune: number | null): number => {
    if (!asksForNeighbours) return afterOther
    if (rune === null) return atStart
    return rune === newline ? afterNewline : isWord(rune) ? afterWord : afterOther
  }

  /** What is alive before the character, conditions of empty width included; null where a match ends there. */
  const closure = (kernel: Kernel, kind: number, rune: number, begins: boolean): number[] | null => {
    const flags = asksForNeighbours ? conditionsBetween(kind, rune) : 0
    const alive: number[] = []
    const stack = begins ? [...kernel, prog.start] : [...kernel]
    let isMatch = false
    round += 1
    for (let pc = stack.pop(); pc !== undefined; pc = stack.pop()) {
      if (seen[pc] === round) continue
      seen[pc] = round
      const { op, out, arg } = program[pc] as Instruction
      if (op === match) isMatch = true
      else if (op === alt || op === altMatch) stack.push(out, arg)
      else if (op === capture || op === nop) stack.push(out)
      else if (op === emptyWidth) {
        if ((arg & ~flags) === 0) stack.push(out)
      } else if (op >= firstRuneOp && op <= lastRuneOp) alive.push(pc)
    }
    return isMatch && begins ? null : alive
  }

  const after = (alive: readonly number[], rune: number): Kernel => {
    const outs = new Set<number>()
    for (const pc of alive) {
      const one = program[pc] as Instruction
      if (rune !== endOfText && one.matchRune(rune)) outs.add(one.out)
    }
    return [...outs].sort((a, b) => a - b)
  }

  const numberOf = (kernel: Kernel, kind: number): number => {
    if (kernel.length === 0) return kind
    const key = `${kind}:${kernel}`
    const known = numbers.get(key)
    if (known !== undefined) return known
    if ((kernels.length + 1) * classes > table.length) return full
    kernels.push(kernel)
    kinds.push(kind)
    numbers.set(key, kernels.length - 1)
    return kernels.length - 1
  }

  const clear = (): void => {
    table.fill(0)
    numbers = new Map()
    kernels = Array.from({ length: lastQuiet + 1 }, () => [])
    kinds = [afterOther, atStart, afterNewline, afterWord, afterOther]
  }

  const classOf = (rune: number): number => (rune === endOfText ? classes - 1 : dfa.runeClass(rune))
  clear()
  return {
    size: program.length,
    classOf,
    latin1: Int32Array.from({ length: 256 }, (_, rune) => classOf(rune)),
    classes,
    table,
    quietAfter: kindAfter,
    make: (state, rune) => {
      const alive = closure(kernels[state] as Kernel, kinds[state] as number, rune, true)
      const next = alive === null ? found : numberOf(after(alive, rune), kindAfter(rune))
      if (next !== full) table[state * classes + classOf(rune)] = next
      return next
    },
    forget: (state) => {
      const [kernel, kind] = [kernels[state] as Kernel, kinds[state] as number]
      clear()
      return numberOf(kernel, kind)
    },
    states: () => kernels.length,
    begin: prog.start,
    kernelOf: (state) => kernels[state] as Kernel,
    advance: (kernel, previous, rune) => after(closure(kernel, kindAfter(previous), rune, false) ?? [], rune),
  }
}

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
