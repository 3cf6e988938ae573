import { SHARE_OF_FUNCTIONS } from '../model/judgement.ts';
import { docOf, type Option, type Options, type WrittenValue } from '../model/option.ts';
import { type Key, optional } from './mapping.ts';
import { either, flag, integer, listOf, oneOf, type Shape, text } from './shape.ts';

const DAY_SECONDS = 86_400;

type OptionKeys<Table> = {
  readonly [Name in keyof Table as Table[Name] extends { readonly key: infer K extends string }
    ? K
    : never]: Key<Table[Name] extends { readonly written: infer W } ? WrittenValue<W> : never, false>;
};

/** The keys of a configuration that the options of a table have. */
export function optionKeys<const Table extends Options>(table: Table): OptionKeys<Table> {
  const keys = Object.values(table).flatMap((option) =>
    option.key === undefined ? [] : [[option.key, optional(shapeOf(option), sentenceOf(option))]],
  );
  return Object.fromEntries(keys) as OptionKeys<Table>;
}

function shapeOf({ written }: Option): Shape<unknown> {
  switch (written.as) {
    case 'toggle':
      return flag;
    case 'choice':
      return oneOf(written.of);
    case 'count':
      return integer(written.min, written.max);
    case 'seconds':
      return integer(1, DAY_SECONDS);
    case 'coverage':
      return either(
        integer(1, 10_000),
        text({ pattern: SHARE_OF_FUNCTIONS, words: 'a percentage such as 80%, or all' }),
      );
    case 'names':
    case 'lines':
      return listOf(text());
    case 'command':
    case 'text':
    case 'file':
      return text();
  }
}

function sentenceOf(option: Option): string {
  const { as } = option.written;
  const words = docOf(option);
  if (as === 'toggle') return `true: ${words}.`;
  const relative = as === 'file' ? '; relative to this file' : '';
  return `${words[0]?.toUpperCase()}${words.slice(1)}${relative}.`;
}
