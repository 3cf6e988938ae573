/** An error that tells the user all there is to tell: what is wrong, where, and the remedy. Never a fault of the harness. */
export class ExpectedError extends Error {}
