/**
 * An error that the user can fix. Its message says what is wrong, where, and the remedy. It names options of the
 * library in backticks, which the command line replaces with flags.
 */
export class ExpectedError extends Error {
  // Written out in every class, because the names of classes do not survive the build of the command.
  override readonly name: string = 'ExpectedError';
}
