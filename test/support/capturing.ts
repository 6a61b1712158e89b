import type { RealIo } from '../../agent/program/real-io.ts'

/** Starts the capture and resolves when it has said whether it can: with null, or with why not. */
export const capturing = async ({ capture, clock }: RealIo): Promise<string | null> => {
  capture.start()
  const startsBy = clock.monotonic() + 200_000
  while (capture.problem() === 'tcpdump has not started yet') {
    if (clock.monotonic() > startsBy) throw new Error('tcpdump has said nothing for 200 s')
    await clock.sleep(10)
  }
  return capture.problem()
}
