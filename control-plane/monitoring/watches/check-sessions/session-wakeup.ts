/** Whoever waits for a session or a test to end listens to this name (app.wakeups). */
export const sessionWakeup = (sessionId: string): string => `session ${sessionId}`
