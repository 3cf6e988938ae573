/**
 * An error that tells the user all there is to tell: what is wrong, where, and the remedy. Never a fault of the harness.
 * Its message names options of the library in backticks; the command line says them as flags.
 */
export class ExpectedError extends Error {
  // Written out in every class, because the names of classes do not survive the build of the command.
  override readonly name: string = 'ExpectedError';
}
