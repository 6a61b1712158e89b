/** Why a run's signal aborts when its time is up: the target was too slow, which is an observation. */
export class DeadlinePassed extends Error {
  readonly timeoutMs: number
  constructor(timeoutMs: number) {
    super(`not finished after ${timeoutMs} ms`)
    this.name = 'DeadlinePassed'
    this.timeoutMs = timeoutMs
  }
}

/** Why it aborts when nobody wants the result any more: the lease was lost, or the drain is over. */
export class RunCancelled extends Error {
  constructor() {
    super('the run was cancelled')
    this.name = 'RunCancelled'
  }
}
