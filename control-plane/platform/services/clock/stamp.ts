/** What writing a row needs of the world: the moment (epoch milliseconds) and new ids. Taken before the transaction. */
export type Stamp = { now: number; newId(): string }
