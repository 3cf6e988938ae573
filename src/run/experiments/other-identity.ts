import { isServed } from '../../checks/json/answers.ts';
import { type IdentityCase, identityCase } from '../../checks/security/identities-apart.ts';
import { producersOf } from '../../inputs/learned-inputs.ts';
import { removalInput, removes } from '../../inputs/removal-input.ts';
import { variedInput } from '../../inputs/vary-input.ts';
import { isJsonObject, type JsonObject } from '../../json/json.ts';
import { exploredKey } from '../../model/exchange-key.ts';
import { OTHER_USER } from '../../model/wire.ts';
import { markIn } from '../../text/mark.ts';
import { creates } from '../../text/words.ts';
import type { PlannedInstance } from '../calls/expand-context.ts';
import { allowedInstances, mayCall } from '../calls/policies.ts';
import { withOtherInput } from '../calls/write-call.ts';
import { hasResult } from '../requests/call-again.ts';
import { callsIn, createdIn, type Thing } from '../requests/created-things.ts';
import { type InstanceRun, instancesOf } from '../state/record.ts';
import { defineExperiment } from './define-experiment.ts';
import type { Laboratory } from './laboratory.ts';

/** Functions that create something. */
const MAX_CREATORS = 2;

/**
 * Two users: each creates something, and reads it. Then the other one reads, and deletes, what the first one created.
 * Nothing is read or deleted that the experiment did not create itself.
 */
export const otherIdentity = defineExperiment(
  'other-identity',
  'functions that create something, and those that read and delete it, with the tokens of two users',
  async (lab) => {
    const { turn } = lab;
    const followed = turn.step.rounds.forEach?.succeeded ?? '';
    const called = instancesOf(lab.state().ended.get(followed));
    const byName = [...new Map(called.map((one) => [one.functionName ?? '', one])).values()];
    const creators = byName.filter((one) => creates(one.functionName ?? '') && hasResult(one));
    const users = new Users(lab);
    for (const [index, creator] of creators.slice(0, MAX_CREATORS).entries())
      await users.tryOut(index, creator, byName);
    if (users.made.length > 0) return users.made;
    return {
      kind: 'inapplicable',
      reason:
        'no function that creates something, in calls of this run, has another one that reads it by its id',
    };
  },
);

class Users {
  readonly made: InstanceRun[] = [];
  readonly #lab: Laboratory;
  #hasOpened = false;

  constructor(lab: Laboratory) {
    this.#lab = lab;
  }

  async tryOut(number: number, creator: InstanceRun, others: readonly InstanceRun[]): Promise<void> {
    const name = (one: IdentityCase): string => identityCase(number, one);
    const own = await this.#create(creator, name('own-creates'), false);
    if (own === null) return;
    const reader = others.find((one) => !this.#changes(one) && this.#inputFor(one, own) !== null);
    const remover = others.find(
      (one) => removes(one.functionName ?? '') && this.#inputFor(one, own) !== null,
    );
    if (reader === undefined) return;
    await this.#call(reader, this.#inputFor(reader, own), name('own-reads'), false);
    const foreign = await this.#create(creator, name('other-creates'), true);
    if (foreign === null) return;
    await this.#call(reader, this.#inputFor(reader, foreign), name('other-reads-own'), true);
    await this.#call(reader, this.#inputFor(reader, own), name('other-reads'), true);
    if (remover === undefined) return;
    // What can be read only once is gone without a deletion.
    await this.#call(reader, this.#inputFor(reader, own), name('own-reads-still'), false);
    await this.#call(remover, this.#inputFor(remover, own), name('other-removes'), true);
    await this.#call(reader, this.#inputFor(reader, own), name('own-reads-again'), false);
    // What the first user created is deleted at the end of the run, with everything else.
    await this.#call(remover, this.#inputFor(remover, foreign), name('other-tidies'), true);
  }

  #changes({ item }: InstanceRun): boolean {
    return this.#lab.turn.restraint.of(item) !== null;
  }

  /** The input with which a function gets the id of a thing; null if that is not certain. */
  #inputFor({ functionName, item, call }: InstanceRun, thing: Thing): JsonObject | null {
    const { runner, input, state } = this.#lab;
    const name = functionName ?? '';
    const accepted = callsIn(runner.scheduler.exchanges()).filter((one) => one.functionName === name);
    const proven = accepted.at(-1)?.input ?? call?.input;
    if (proven == null || !isJsonObject(item)) return null;
    const of = {
      name,
      proven,
      descriptor: item,
      producers: producersOf(name, state().settings.producers ?? {}),
    };
    return removalInput(of, thing.call, thing.isNew, input.schemas);
  }

  /** Null unless something new with a text that nobody else sends was created. */
  async #create(creator: InstanceRun, name: string, isOther: boolean): Promise<Thing | null> {
    const { state, input, runner } = this.#lab;
    const { settings, learned } = state();
    const { item, call } = creator;
    if (call?.input == null || !isJsonObject(item)) return null;
    const fixed = learned.inputs.get(call.functionName)?.fixed;
    const varied = variedInput(
      call.input,
      item,
      `${settings.seed}/${call.functionName}/${name}`,
      input.schemas,
      fixed,
    );
    if (markIn(varied) === null) return null;
    const made = await this.#call(creator, varied, name, isOther);
    const [exchange] = made?.exchanges ?? [];
    if (exchange === undefined || exchange.kind === 'unanswered' || !isServed(exchange)) return null;
    const things = createdIn(callsIn(runner.scheduler.exchanges()), state());
    return things.find((one) => one.call.key === exchange.request.key) ?? null;
  }

  async #call(
    instance: InstanceRun,
    input: JsonObject | null,
    name: string,
    isOther: boolean,
  ): Promise<InstanceRun | null> {
    const { turn, runner, state } = this.#lab;
    if (input === null) return null;
    if (isOther) await this.#openOther();
    const key = exploredKey(instance.key, name);
    const planned = {
      ...withOtherInput(instance, input, 'learned', key, state().settings.seed),
      caseId: name,
      // Another input would be one that this experiment did not choose.
      whenRefused: null,
    };
    const sent = isOther ? asOther(planned) : planned;
    const isAllowed = allowedInstances(turn.step, [sent], turn.restraint).length > 0;
    if (!isAllowed || !mayCall(turn.step, sent, turn.restraint, runner.scheduler.calls())) return null;
    const [made] = await runner.run(turn, [sent]);
    if (made === undefined) return null;
    this.made.push(made);
    return made;
  }

  /** A session may belong to its user. */
  async #openOther(): Promise<void> {
    const { turn, runner, state } = this.#lab;
    if (this.#hasOpened || state().settings.mcp === undefined) return;
    this.#hasOpened = true;
    const request = { conversation: OTHER_USER, version: null, timeoutMs: null };
    const key = exploredKey(turn.step.id, 'open');
    const opening = { key, item: undefined, functionName: null, caseId: null, call: null, request };
    for (const made of await runner.run(turn, [opening])) runner.keepAside(made);
  }
}

/** The same call of the other user. */
function asOther({ request, ...instance }: PlannedInstance): PlannedInstance {
  if (request === null || 'version' in request) return { ...instance, request };
  if ('sends' in request) return { ...instance, request: { ...request, conversation: OTHER_USER } };
  return { ...instance, request: { ...request, token: 'other' } };
}
