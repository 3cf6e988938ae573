import { Command, Option } from 'commander';

/** Shown as `[options]` in the list of commands, like the options that it replaces. */
const UNDECLARED = new Option('--undeclared');

/** A command that is only listed. Without its options, which are most of the work of declaring it. */
class CommandByName extends Command {
  override option(): this {
    return this.addOption();
  }

  override addOption(): this {
    return this.options.length === 0 ? super.addOption(UNDECLARED) : this;
  }
}

/** A program that declares the options only of commands that are among the words of a command line. */
export class ProgramFor extends Command {
  readonly #words: readonly string[];

  constructor(name: string, words: readonly string[]) {
    super(name);
    this.#words = words;
  }

  override createCommand(name: string): Command {
    return this.#words.includes(name) ? new Command(name) : new CommandByName(name);
  }
}
