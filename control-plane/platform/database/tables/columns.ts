/** 0 or 1: SQLite has no booleans, and one text of each query serves both engines. */
export type Bit = number
