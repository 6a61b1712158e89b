/**
 * What a benchmark is. Words: *ours* is what the project measures, the *peer* another program doing the same work in the
 * same run, the *limit* what the machine can do at most; the *goal* is the project's own (docs/benchmarks.md).
 *
 * Each benchmark is a file with a sentence that says what it measures. The programs run as users run them: child
 * processes of their own with their settings in the environment; CPU time is what the kernel accounts to them.
 */
export type Row = {
  /** `P1`, or `P1 tls` for a variant. */
  name: string
  work: string
  ours: string
  against: string
  ratio: string
  goal: string
  /** Null: nothing to compare with on this machine. */
  met: boolean | null
  /** Everything measured, with units in the names. */
  numbers: Record<string, number | string | null>
  notes: string[]
}

export type Bench = {
  id: string
  /** File name of its results. */
  name: string
  measures: string
  /** Only where it is named: it takes an hour. */
  onRequest?: true
  run(b: Running): Promise<Row[]>
}

export type Running = {
  say(line: string): void
  /** Runs when the benchmark ends, in reverse order, whatever happened. */
  teardown(put: () => unknown): void
}

export const peerMissing = 'peer not installed: apt-get install prometheus-blackbox-exporter'
