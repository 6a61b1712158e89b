/** An agent polls at least every minute and is noted at most 20 seconds later; one not seen for longer is gone. */
export const agentGoneMs = 120_000
