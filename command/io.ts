/** All that the commands touch of the world: main.ts makes it. */
export type Io = {
  env: Readonly<Record<string, string | undefined>>
  /** Against the folder that the command was called in. */
  path(path: string): string
  readText(path: string): Promise<string>
  /** null: there is nothing of that name. */
  kindOf(path: string): Promise<'file' | 'folder' | null>
  /** The names in a folder, sorted. */
  list(path: string): Promise<string[]>
  writeText(path: string, text: string): Promise<void>
  appendText(path: string, text: string): Promise<void>
  /** What a module exports by default. */
  load(path: string): Promise<unknown>
  fetch: (url: string, init: RequestInit) => Promise<Response>
  sleep(ms: number): Promise<void>
  now(): number
  /** The answer, line by line. */
  say(line: string): void
  /** For whoever waits, beside the answer. */
  progress(line: string): void
}

/** What the caller can act on: shown as a sentence each, without a stack. */
export class CommandError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options)
    this.name = 'CommandError'
    this.problems = problems
  }
}

export const exitCodes = { done: 0, failed: 1, changes: 2 } as const

export type Options = {
  positionals: readonly string[]
  values: Readonly<Record<string, string | undefined>>
  /** All values of an option that is given several times. */
  all: Readonly<Record<string, readonly string[] | undefined>>
  switches: ReadonlySet<string>
}

export type Command = {
  name: string
  /** Of what may stand behind it, for the help. */
  takes: string
  summary: string
  /** Each with what stands for its value and what it means; without a value it is a switch. */
  options: Readonly<Record<string, { value?: string; meaning: string }>>
  /** The exit code. */
  run(io: Io, options: Options): Promise<number>
}
