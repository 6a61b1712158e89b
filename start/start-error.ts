/** A stop that the user can act on: shown as it is, without a stack. */
export class StartError extends Error {}
