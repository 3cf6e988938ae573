import { type Unmade, withoutCall } from '../../../inputs/explore/call-sequences.ts';
import { SmallerInputs } from '../../../inputs/explore/smaller-inputs.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { again, callsOf, faultOf, type Played, type SequencePlayer } from '../play-sequence.ts';

export interface Shortening {
  readonly found: Played;
  readonly fault: string;
  /** Tells its calls apart from those of other sequences. */
  readonly name: string;
  readonly most: number;
}

/**
 * Looks for the shortest sequence, with the smallest inputs, that fails in the same way, and reports each one that was
 * seen to fail twice. Returns whether the function fails for all by now: what broke it cannot be repeated.
 */
export async function shorten(
  player: SequencePlayer,
  { found, fault, name, most }: Shortening,
  onShorter: (shorter: Played) => void,
): Promise<{ readonly isBroken: boolean }> {
  let left = most;
  let shortest = found;
  const play = (calls: readonly Unmade[]): Promise<Played> => {
    left -= 1;
    return player.play(again(calls), `${name}-shorter-${most - left}`);
  };
  const last = callsOf(found).at(-1);
  if (last === undefined) return { isBroken: false };
  const proven = player.subjects.get(last.functionName)?.proven ?? last.input;
  const alone = await play([{ ...last, input: proven, from: {}, isFresh: true }]);
  const isBroken = found.made.length > 1 && faultOf(alone) === fault;
  const accept = async (calls: readonly Unmade[]): Promise<boolean> => {
    let played = found;
    // Twice: a call may use up what it needs.
    for (const _ of ['once', 'twice']) {
      played = await play(calls);
      if (played.made.length < calls.length || faultOf(played) !== fault) return false;
      // As long as the function fails for all, only a sequence in which it succeeded before shows what breaks it.
      if (isBroken && !succeededBefore(played)) return false;
    }
    shortest = played;
    onShorter(played);
    return true;
  };
  if (!(await accept(callsOf(found)))) return { isBroken };
  for (let index = shortest.made.length - 2; index >= 0 && left > 0; index -= 1)
    await accept(withoutCall(callsOf(shortest), index));
  for (let index = 0; index < shortest.made.length; index += 1) {
    const calls = callsOf(shortest);
    const call = calls[index];
    if (call === undefined) break;
    const isTaken = ([parameter]: readonly [string, Json]): boolean => Object.hasOwn(call.from, parameter);
    const members = Object.entries(call.input);
    const ofOthers = Object.fromEntries(members.filter(isTaken));
    const own: JsonObject = Object.fromEntries(members.filter((member) => !isTaken(member)));
    const smaller = new SmallerInputs(own, left);
    for (let input = smaller.next(); input !== null && left > 0; input = smaller.next()) {
      const changed = { ...call, input: { ...input, ...ofOthers }, isFresh: false };
      if (await accept(callsOf(shortest).with(index, changed))) smaller.accept(input);
    }
  }
  return { isBroken };
}

/** The function of the last call was also called before, and returned a result. */
function succeededBefore({ made }: Played): boolean {
  const last = made.at(-1)?.call.functionName;
  return made.slice(0, -1).some(({ call, observed }) => call.functionName === last && observed !== null);
}
