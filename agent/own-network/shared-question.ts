/** Everybody who asks shares one question at a time, and its answer is never older than `since`. */
export const sharedQuestion = <T>(
  ask: () => Promise<T>,
  clock: { monotonic(): number },
): ((since: number) => Promise<T>) => {
  type Question = { began: number; answer: Promise<T> }
  let current: Question | null = null
  let next: Promise<T> | null = null
  const begin = (): Promise<T> => {
    const question: Question = { began: clock.monotonic(), answer: ask() }
    current = question
    next = null
    const done = (): void => {
      if (current === question) current = null
    }
    question.answer.then(done, done)
    return question.answer
  }
  return (since) => {
    if (current === null) return begin()
    if (current.began >= since) return current.answer
    next ??= current.answer.then(begin, begin)
    return next
  }
}
