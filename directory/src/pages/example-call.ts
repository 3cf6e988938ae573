import {
  callInputs,
  createSchemaEvaluator,
  escapeLive,
  isJsonObject,
  type Json,
  type JsonObject,
} from 'probity/model';

const MAX_CHARACTERS = 1200;

/**
 * A command that calls a function through the gateway, with the input that it was last tested with, or one that follows
 * from its descriptor. Pure.
 */
export function exampleCall({
  name,
  descriptor,
  executeUrl,
  lastInput,
}: {
  readonly name: string;
  readonly descriptor: JsonObject;
  readonly executeUrl: string;
  readonly lastInput: Json | undefined;
}): string | null {
  const [made] = isJsonObject(lastInput)
    ? []
    : callInputs('sample', descriptor, [], { schemas: createSchemaEvaluator() });
  const input = isJsonObject(lastInput) ? lastInput : (made?.input ?? {});
  const body = escapeLive(JSON.stringify({ function: name, input }));
  const command = [
    `curl -sS ${quoted(executeUrl)}`,
    '-H "Authorization: Bearer $PROBITY_TOKEN"',
    "-H 'Content-Type: application/json'",
    `--data-binary ${quoted(body)}`,
  ].join(' \\\n  ');
  return command.length > MAX_CHARACTERS ? null : command;
}

/** A command that reads JSON of the API. Pure. */
export function readCommand(url: string): string {
  return `curl -sS ${quoted(url)} -H "Authorization: Bearer $PROBITY_TOKEN"`;
}

/** Never in double quotes: a target could name a function "$PROBITY_TOKEN", and would be sent the key. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
