import { UsageError } from '../../command-line/exit-codes.ts';
import { areaOf, levelWords, type Requirement, textFor, type WireText } from '../../model/requirement.ts';
import { scopeWords } from '../../report/view/words.ts';
import { labelled, wrap } from '../../report/view/wrap.ts';
import { loadRegistry } from '../../suite/load-suites.ts';
import { matchesGlob } from '../../text/glob.ts';
import { nearest } from '../../text/nearest-name.ts';

export async function explain(id: string | undefined, flags: { readonly checks?: boolean }): Promise<void> {
  if (flags.checks === true) {
    const { checks } = await import('../../generated/checks.ts');
    process.stdout.write(
      `${[...checks.values()].map(({ name, decides }) => `${name}\n  ${decides}`).join('\n')}\n`,
    );
    return;
  }
  const registry = await loadRegistry();
  if (id === undefined) {
    process.stdout.write(`${[...registry.values()].map(listed).join('\n')}\n`);
    return;
  }
  const areas = new Set([...registry.keys()].map(areaOf));
  const area = id.replace(/\/$/, '');
  const pattern = areas.has(area) ? `${area}/*` : id;
  const found = [...registry.values()].filter((requirement) => matchesGlob(pattern, requirement.id));
  if (found.length === 0)
    throw new UsageError(`Unknown requirement "${id}". ${suggestion(id, [...registry.keys()], areas)}`);
  // A whole area is a list to choose from.
  const text = pattern === id ? found.map(explained).join('\n\n') : found.map(listed).join('\n');
  process.stdout.write(`${text}\n`);
}

const MAX_SUGGESTED = 5;

function suggestion(given: string, ids: readonly string[], areas: ReadonlySet<string>): string {
  const close = nearest(given, [...areas, ...ids]);
  if (close !== undefined) return `Did you mean "${close}"?`;
  const word = given.toLowerCase();
  const containing = word === '' ? [] : ids.filter((id) => id.includes(word));
  if (containing.length === 0 || containing.length > MAX_SUGGESTED)
    return `\`probity explain\` lists all; the areas are ${[...areas].join(', ')}.`;
  return `Did you mean ${containing.map((id) => `"${id}"`).join(', ')}?`;
}

function listed({ id, level, text }: Requirement): string {
  const [first = '', ...rest] = wrap(textFor(text, 'rest'), 80 - 14);
  return [`${id}  ${levelWords(level)}`, `  ${first}`, ...rest.map((line) => `  ${line}`)].join('\n');
}

function sectionOf(spec: string): string {
  if (spec === '-') return 'good practice, not in the specification';
  const page = /^MCP (.*)$/.exec(spec)?.[1];
  return page === undefined
    ? `section ${spec} of the specification`
    : `page "${page}" of the Model Context Protocol`;
}

function explained({ id, level, spec, text, why, fix, ...row }: Requirement): string {
  const section = sectionOf(spec);
  const scope = scopeWords(row);
  const paragraph = (label: string, words: string): readonly string[] => labelled(label, wrap(words, 72), 6);
  const perWire = (label: string, words: WireText): readonly string[] => [
    ...paragraph(label, textFor(words, 'rest')),
    ...(typeof words === 'string' ? [] : paragraph('', `In an MCP server: ${words.mcp}`)),
  ];
  return [
    `${id}  ${levelWords(level)}, ${section}`,
    ...perWire('what', text),
    ...(scope === '' ? [] : paragraph('for', scope)),
    ...paragraph('why', why),
    ...perWire('fix', fix),
  ].join('\n');
}
