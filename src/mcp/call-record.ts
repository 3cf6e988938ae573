import { isFiniteWithin, type Json, type JsonObject } from '../model/json.ts';
import type { BridgedCall } from './bridge.ts';

/** What a bridge got from its server, before it changed anything: for judging the server, and the bridge itself. */
export interface CallRecord {
  /** A session was opened, in which this version of the protocol was negotiated. */
  readonly opened: (protocolVersion: string) => void;
  readonly addCall: (call: BridgedCall) => void;
  readonly addTools: (tools: readonly Json[]) => void;
  readonly shown: () => JsonObject;
}

const MAX_CALLS = 2000;
const MAX_LISTS = 5;
/** Not more values than the readers of answers accept. */
const MAX_CHARACTERS = 400_000;
/** The readers of answers refuse what is nested more deeply. */
const MAX_DEPTH = 200;

export function createCallRecord(): CallRecord {
  const calls: JsonObject[] = [];
  const toolLists: (readonly Json[])[] = [];
  let protocolVersion: string | null = null;
  let characters = 0;
  let omitted = 0;
  const isShort = (value: Json): boolean => {
    if (characters >= MAX_CHARACTERS || !isFiniteWithin(value, MAX_DEPTH)) return false;
    const size = JSON.stringify(value).length;
    if (characters + size > MAX_CHARACTERS) return false;
    characters += size;
    return true;
  };
  return {
    opened: (negotiated) => {
      protocolVersion = negotiated;
    },
    addCall: (call) => {
      if (calls.length >= MAX_CALLS) {
        omitted += 1;
        return;
      }
      const shown = shownCall(call);
      if (isShort(shown)) calls.push(shown);
      else omitted += 1;
    },
    addTools: (tools) => {
      const isKnown = toolLists.some((known) => JSON.stringify(known) === JSON.stringify(tools));
      if (isKnown) return;
      if (toolLists.length < MAX_LISTS && isShort(tools)) toolLists.push(tools);
      else omitted += 1;
    },
    shown: () => ({ protocolVersion, toolLists, calls, omitted }),
  };
}

function shownCall({ requestId, tool, answer }: BridgedCall): JsonObject {
  const call = { ...(requestId === undefined ? {} : { requestId }), tool };
  if ('result' in answer) return { ...call, result: answer.result };
  const { fault, code, message } = answer.error;
  return { ...call, fault, message, ...(code === null ? {} : { code }) };
}
