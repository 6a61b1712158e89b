import type { Context } from './playwright-types.ts'

/** For whoever watches a script: what is done in it is no step of the script. */
export const internally = <T>(context: Pick<Context, '_wrapApiCall'>, act: () => Promise<T>): Promise<T> =>
  context._wrapApiCall === undefined ? act() : context._wrapApiCall(act, { internal: true })

/**
 * Lets a script trace a context itself that is traced already, by us or by the test runner, of which Playwright allows one: its
 * recording is then a chunk of the one that runs, which goes on when the script has stopped its own. A script that fails before has what
 * it recorded in the trace of the run.
 */
export const shareTracing = (context: Context): Context => {
  const { tracing } = context
  const start = tracing.start.bind(tracing)
  const stop = tracing.stop.bind(tracing)
  const stopChunk = tracing.stopChunk.bind(tracing)
  let isShared = false
  const goOn = async (options?: { path?: string }): Promise<void> => {
    await stopChunk(options)
    await internally(context, () => tracing.startChunk())
  }
  tracing.start = async (options = {}) => {
    try {
      await internally(context, () => start(options))
    } catch (error) {
      if (isShared || !/already started/.test((error as Error).message)) throw error
      isShared = true
      const { title } = options
      await internally(context, () => tracing.startChunk(title === undefined ? {} : { title }))
    }
  }
  tracing.stopChunk = (options) => (isShared ? goOn(options) : stopChunk(options))
  tracing.stop = async (options) => {
    if (!isShared) return stop(options)
    isShared = false
    await goOn(options)
  }
  return context
}
