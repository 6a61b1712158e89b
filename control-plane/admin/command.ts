/**
 * What an operator does from a shell of the machine: a command is a value, as a route is. It says what it takes, does
 * its work, and returns what to print, for people and as JSON; it never prints by itself.
 *
 * Exit codes: 0 done, 1 refused or failed, 2 wrong arguments or configuration.
 */

import type { WholeConfig } from '../read-config.ts'
import type { WholeApp } from '../whole-app.ts'

type Positional = { name: string; meaning: string }

export type Option = {
  /** What stands for the value in the help; left out: a switch without a value. */
  value?: string
  required?: boolean
  oneOf?: readonly string[]
  meaning: string
}

export type Arguments = {
  /** In the order of the command's positionals: all are required. */
  positionals: string[]
  values: Readonly<Record<string, string>>
  switches: ReadonlySet<string>
}

/** What people see, a line each, and the same as data. */
export type Outcome = { lines: string[]; json: unknown; failed?: boolean }

export type Context = {
  config: WholeConfig
  /** Opens the store, brought to the newest schema unless told to only look. Closed when the command ends. */
  open(options?: { migrate: boolean }): Promise<WholeApp>
  /** The encryption keys as they are now; made on first use where this installation keeps its own. */
  keys(): readonly Buffer[]
  now(): number
  randomBytes(size: number): Buffer
  sleep(ms: number): Promise<void>
  /** A line for whoever waits, beside the outcome. */
  progress(line: string): void
  /** An argument that names a file, relative to where the command was called. */
  file(path: string): string
}

export type Command = {
  /** As typed: `account create`. */
  name: string
  summary: string
  description?: string
  positionals: readonly Positional[]
  options: Readonly<Record<string, Option>>
  run(context: Context, args: Arguments): Promise<Outcome>
}

/** Wrong arguments: every problem, a sentence each. */
export class UsageError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'UsageError'
    this.problems = problems
  }
}

/** The operator can act on it: shown as one sentence, without a stack. */
export class RefusedError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RefusedError'
  }
}
