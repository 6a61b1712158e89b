/** Seconds that an answer may be behind: of answers with something that a replica of the store has read. */
export const replicaLagHeader = 'watchpost-replica-lag-seconds'
