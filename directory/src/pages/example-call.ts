import {
  callInputs,
  escapeLive,
  isJsonObject,
  type Json,
  type JsonObject,
  type SchemaEvaluator,
} from 'probity/model';

const MAX_CHARACTERS = 1200;

export interface ExampleCall {
  readonly name: string;
  readonly descriptor: JsonObject;
  readonly executeUrl: string;
  readonly lastInput: Json | undefined;
  readonly schemas: SchemaEvaluator;
}

/**
 * A command that calls a function through the gateway, with the input of its last test, or one generated from its
 * descriptor. Pure.
 */
export function exampleCall({
  name,
  descriptor,
  executeUrl,
  lastInput,
  schemas,
}: ExampleCall): string | null {
  const [generated] = isJsonObject(lastInput) ? [] : callInputs('sample', descriptor, [], { schemas });
  const input = isJsonObject(lastInput) ? lastInput : (generated?.input ?? {});
  const body = escapeLive(JSON.stringify({ function: name, input }));
  const command = [
    `curl -sS ${quoted(executeUrl)}`,
    '-H "Authorization: Bearer $PROBITY_TOKEN"',
    "-H 'Content-Type: application/json'",
    `--data-binary ${quoted(body)}`,
  ].join(' \\\n  ');
  return command.length > MAX_CHARACTERS ? null : command;
}

/** A command that reads from the API. Pure. */
export function readCommand(url: string): string {
  return `curl -sS ${quoted(url)} -H "Authorization: Bearer $PROBITY_TOKEN"`;
}

/** Single quotes, because in double quotes the shell would replace a function name like "$PROBITY_TOKEN" by the key. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
