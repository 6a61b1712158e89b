/** Why the control plane did not do what it was asked. `refused`: asking again will not help. */
export type Reason = 'unreachable' | 'unauthorized' | 'refused' | 'unavailable' | 'aborted'

/** `status` is 0 without an HTTP answer; `retryAfterMs` is what the control plane asked for, or 0. */
export type Refusal = { ok: false; reason: Reason; status: number; message: string; retryAfterMs: number }

/** What came of a call of the control plane: what it answered, or why there is no answer. */
export type Answer<T> = { ok: true; value: T } | Refusal
