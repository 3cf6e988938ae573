import { essenceOf, leavesOf } from '../../checks/execute/answer-essence.ts';
import { hintedNature } from '../../inputs/function-nature.ts';
import { variedInput } from '../../inputs/vary-input.ts';
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../json/json.ts';
import { watchedKey } from '../../model/exchange-key.ts';
import { isRateLimited } from '../../model/rate-limit.ts';
import { isNamedBy } from '../../text/glob.ts';
import { markIn } from '../../text/mark.ts';
import { wordsIn } from '../../text/words.ts';
import { isCostly } from '../calls/expand-context.ts';
import { MAX_CALLS_OF_CHANGING } from '../calls/restraint.ts';
import type { RunState } from '../calls/run-state.ts';
import type { InstanceRun } from '../state/record.ts';
import type { RunInput } from '../state/run-input.ts';
import { asksExecute } from '../steps/step-kinds.ts';
import { type CallAgain, createCallAgain, hasResult } from './call-again.ts';
import type { InstanceRunner } from './run-instances.ts';

const MAX_WATCHED = 16;
/** Functions whose repeated answer differs. */
const MAX_MOVED = 6;
const MAX_WITNESSES = 2;

/**
 * Finds functions that change something although their descriptors say that they read: a counter of visits, a link that
 * counts its uses, a search that stores what is trending. Every function is called with another text, and then in three
 * rounds with its input, so that each other one is called between two of its answers. A function
 *
 * - counts its calls if a number grows by the same amount at each of them, whatever is called in between;
 * - stores its input if another one returns the text that only it received;
 * - changes the answer of another one if that differs after each of its calls, and at no other time.
 *
 * A clock, a random value, a log and a count of all requests show none of these. Which calls are made follows from the
 * answers alone.
 */
export async function watchReads(
  state: RunState,
  runner: InstanceRunner,
  { selection: { formStep: step }, schemas }: Pick<RunInput, 'selection' | 'schemas'>,
): Promise<ReadonlySet<string>> {
  const run = step === null || state.planning ? undefined : state.ended.get(step.id);
  const isCalledMore = state.steps.some(
    ({ request, rounds }) => asksExecute(request) && rounds.forEach?.succeeded === step?.id,
  );
  const { restraint, settings } = state;
  if (step === null || run?.kind !== 'ran' || !isCalledMore || settings.mutating.default === 'allow')
    return new Set();
  if (runner.scheduler.exchanges().some(isRateLimited)) return new Set();
  const known = run.instances
    .filter(
      ({ item, ...one }) =>
        isJsonObject(item) &&
        hasResult(one) &&
        !isCostly(one) &&
        restraint.isOfKind(item, 'reads') &&
        // Rows of their own decide whether a hint is true.
        hintedNature(item) === null &&
        !isNamedBy(settings.mutating.functions.allow, nameOf(one)),
    )
    .filter(
      ({ functionName }, index, all) => all.findIndex((one) => one.functionName === functionName) === index,
    )
    .slice(0, MAX_WATCHED);
  const watch = new ReadWatch(known, createCallAgain(step, state, runner, watchedKey), runner);
  return watch.find((instance) =>
    variedInput(
      instance.call?.input ?? {},
      isJsonObject(instance.item) ? instance.item : {},
      `${settings.seed}/${instance.key}`,
      schemas,
    ),
  );
}

type Answer = Json | undefined;

class ReadWatch {
  readonly #known: readonly InstanceRun[];
  readonly #callAgain: CallAgain;
  readonly #runner: Pick<InstanceRunner, 'scheduler'>;
  readonly #found = new Set<string>();

  constructor(
    known: readonly InstanceRun[],
    callAgain: CallAgain,
    runner: Pick<InstanceRunner, 'scheduler'>,
  ) {
    this.#known = known;
    this.#callAgain = callAgain;
    this.#runner = runner;
  }

  async find(vary: (instance: InstanceRun) => JsonObject): Promise<ReadonlySet<string>> {
    const senders = new Map<string, InstanceRun>();
    await Promise.all(
      this.#known.map(async (one) => {
        const input = vary(one);
        const mark = markIn(input);
        if (mark === null) return;
        senders.set(mark, one);
        await this.#callAgain(one, input, 'assembled');
      }),
    );
    const first = await this.#callAll();
    // Calls of a round have no order: those of the round between come after the first and before the last.
    const between = await this.#callAll();
    const last = await this.#callAll();
    for (const one of this.#known) this.#findSendersIn(one, canonicalJson(last.get(one) ?? null), senders);
    const moved = this.#known.filter((one) => differ(first.get(one), last.get(one))).slice(0, MAX_MOVED);
    const witnesses: InstanceRun[] = [];
    for (const one of moved) {
      await this.#callUnlisted(one);
      const [before, after] = [await this.#call(one), await this.#call(one)];
      const answers = [first.get(one), between.get(one), last.get(one), before, after];
      if (!differ(before, after)) witnesses.push(one);
      else if (countsCalls(answers)) this.#found.add(nameOf(one));
    }
    for (const witness of witnesses.slice(0, MAX_WITNESSES)) await this.#findChangersOf(witness);
    return this.#found;
  }

  #findSendersIn(witness: InstanceRun, answer: string, senders: ReadonlyMap<string, InstanceRun>): void {
    const shown = [...senders].filter(([mark, sender]) => sender !== witness && answer.includes(mark));
    const others = [...senders.values()].filter((sender) => sender !== witness);
    // A log shows what every function received.
    if (others.length > 1 && shown.length === others.length) return;
    for (const [, sender] of shown) this.#found.add(nameOf(sender));
  }

  /** Functions after whose calls the witness answers differently, although it answers repeated calls alike. */
  async #findChangersOf(witness: InstanceRun): Promise<void> {
    const suspects = this.#known.filter((one) => one !== witness && !this.#found.has(nameOf(one)));
    const changers: InstanceRun[] = [];
    let before = await this.#call(witness);
    for (const suspect of suspects) {
      await this.#call(suspect, true);
      const after = await this.#call(witness);
      if (differ(before, after)) changers.push(suspect);
      before = after;
    }
    // It counts all calls, or changes with time.
    if (suspects.length > 1 && changers.length === suspects.length) return;
    for (const changer of changers) {
      const [rested, made] = [await this.#call(witness), await this.#call(changer, true)];
      const [changed, again] = [await this.#call(witness), await this.#call(witness)];
      if (made !== undefined && differ(rested, changed) && !differ(before, rested) && !differ(changed, again))
        this.#found.add(nameOf(changer));
      before = again;
    }
  }

  async #callAll(): Promise<ReadonlyMap<InstanceRun, Answer>> {
    return new Map(
      await Promise.all(
        this.#known.map(async (one): Promise<[InstanceRun, Answer]> => [one, await this.#call(one)]),
      ),
    );
  }

  async #call(instance: InstanceRun, isSuspect = false): Promise<Answer> {
    if (isSuspect && (this.#runner.scheduler.calls().get(nameOf(instance)) ?? 0) >= MAX_CALLS_OF_CHANGING)
      return undefined;
    const made = await this.#callAgain(instance, instance.call?.input ?? {}, 'proven');
    const [exchange] = made?.exchanges ?? [];
    if (made === null || exchange === undefined || exchange.kind === 'unanswered' || !hasResult(made))
      return undefined;
    return essenceOf(exchange);
  }

  /** What counts all calls counts this one too. */
  async #callUnlisted({ call, ...one }: InstanceRun): Promise<void> {
    if (call === null) return;
    const unlisted = {
      ...one,
      item: undefined,
      functionName: null,
      call: { ...call, functionName: UNLISTED },
    };
    await this.#callAgain(unlisted, {}, 'given');
  }
}

const UNLISTED = 'probity-unknown';

function nameOf({ functionName }: Pick<InstanceRun, 'functionName'>): string {
  return functionName ?? '';
}

/** Whether both calls have a result, and the results differ by more than times. */
function differ(one: Answer, other: Answer): boolean {
  return one !== undefined && other !== undefined && canonicalJson(one) !== canonicalJson(other);
}

/** Whether a number grew by the same amount from answer to answer, and none only where other calls came between. */
function countsCalls(answers: readonly Answer[]): boolean {
  const counts = answers.map(countsIn);
  const [first] = counts;
  const stepsOf = (place: string): readonly number[] =>
    counts
      .slice(1)
      .map((count, index) => (count.get(place) ?? Number.NaN) - (counts[index]?.get(place) ?? 0));
  const steps = [...(first?.keys() ?? [])].map(stepsOf);
  const isOfOthers = steps.some((one) => one.at(-1) === 0 && one.some((step) => step !== 0));
  return (
    !isOfOthers && steps.some(([step = 0, ...others]) => step > 0 && others.every((one) => one === step))
  );
}

const CLOCK_WORDS: ReadonlySet<string> = new Set(
  'age clock duration elapsed ms milliseconds minutes now seconds time timestamp uptime'.split(' '),
);

/** The whole numbers of an answer, also within texts, except those that are named like times. */
function countsIn(answer: Answer): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { pointer, value } of leavesOf(answer ?? null)) {
    const said = typeof value === 'string' ? value.slice(0, MAX_TEXT_CHARACTERS) : '';
    if (wordsIn(`${pointer.split('/').at(-1)} ${said}`).some((word) => CLOCK_WORDS.has(word))) continue;
    if (Number.isInteger(value)) counts.set(pointer, Number(value));
    else if (said !== '')
      for (const [index, digits] of (said.match(/\d+/g) ?? []).entries())
        counts.set(`${pointer}#${index}`, Number(digits));
  }
  return counts;
}

const MAX_TEXT_CHARACTERS = 500;
