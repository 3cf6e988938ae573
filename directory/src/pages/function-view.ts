import {
  descriptorForm,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonText,
  ownProperty,
  propertiesOf,
  requiredNames,
  shorten,
  textsOf,
  typesOf,
} from 'probity/model';
import { exampleCall } from './example-call.ts';
import { MOST } from './visible-text.ts';

/** A function as a page shows it; of a descriptor that breaks its form, what can be understood. */
export interface FunctionView {
  readonly name: string;
  readonly description: string;
  readonly takes: readonly ValueView[];
  readonly gives: readonly ValueView[];
  /** JSON. */
  readonly descriptor: string;
  /** A command that calls it through the gateway; null where it would be too long to be read. */
  readonly call: string | null;
}

export interface ValueView {
  readonly name: string;
  /** Empty where the descriptor does not tell. */
  readonly type: string;
  readonly description: string;
  readonly required: boolean;
}

const MAX_VALUES = 40;
const MAX_JSON_CHARACTERS = 1500;

/** Pure. */
export function functionView(
  descriptor: JsonObject,
  { executeUrl, lastInput }: { readonly executeUrl: string; readonly lastInput: Json | undefined },
): FunctionView {
  const name = textOf(ownProperty(descriptor, 'name'));
  return {
    name: shorten(name, MOST.name),
    description: shorten(textOf(ownProperty(descriptor, 'description')), MOST.description),
    takes: valuesOf(descriptor, 'parameters', 'inputs'),
    gives: valuesOf(descriptor, 'returns', 'outputs'),
    descriptor: shorten(jsonText(descriptor), MAX_JSON_CHARACTERS),
    call: exampleCall({ name, descriptor, executeUrl, lastInput }),
  };
}

function valuesOf(
  descriptor: JsonObject,
  key: 'parameters' | 'returns',
  names: 'inputs' | 'outputs',
): readonly ValueView[] {
  if (descriptorForm(descriptor) !== 'B')
    return textsOf(ownProperty(descriptor, names))
      .slice(0, MAX_VALUES)
      .map((name) => ({ name, type: '', description: '', required: false }));
  const required = new Set(requiredNames(ownProperty(descriptor, key)));
  return propertiesOf({ descriptor, pointer: '', label: '' }, key)
    .slice(0, MAX_VALUES)
    .map(({ name, schema }) => ({
      name,
      type: (typesOf(schema) ?? []).join(' or '),
      description: isJsonObject(schema) ? textOf(ownProperty(schema, 'description')) : '',
      required: required.has(name),
    }));
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
