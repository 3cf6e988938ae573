import { behaviours, families } from './all-behaviours.ts';
import { type Behaviour, ENDPOINTS, type Find } from './behaviour.ts';
import { faultsOf, NOTHING_FOUND, wordsFor } from './finds-in-words.ts';

/** The list of all behaviours, with what each must lead to. */
export function corpusDocument(): string {
  return [
    '# The malformed responses',
    '',
    'Made by `npm run build` from `test/malformed-responses/`; do not edit it by hand.',
    '',
    'Each behaviour is played on a raw socket, on one endpoint at a time, while the other two follow the contract. The',
    'command must end by its deadline, use at most 150 MB more memory than a plain run, and report exactly the findings',
    'listed here. `clean` is a pass without findings. _Undecided_ with the fault `harness` means that only the harness',
    'does not accept the response; the server is not blamed. Rows that depend on a listed row are blocked by it, and are',
    'not listed again. _Perhaps_ depends on time: on how far the run comes before it stops. Rows of robustness, security',
    'and transport are left out of these runs.',
    '',
    `There are ${behaviours.length} behaviours; \`npm run malformed\` plays all of them on all endpoints.`,
    ...families.flatMap((members) => ['', `## ${members[0]?.id.split('/')[0]}`, '', ...section(members)]),
    '',
  ].join('\n');
}

function section(members: readonly Behaviour[]): readonly string[] {
  return [
    '| behaviour | what the server does | legal | /health | /capabilities | /execute | fault |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...members.map((behaviour) => {
      const name = behaviour.id.split('/')[1] ?? '';
      const finds = ENDPOINTS.map((endpoint) => inFull(behaviour.finds[endpoint]));
      const cells = [
        `\`${name}\``,
        behaviour.words,
        behaviour.legal ? 'yes' : 'no',
        ...finds,
        faultsOf(behaviour),
      ];
      return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
    }),
  ];
}

function inFull(finds: readonly Find[]): string {
  if (finds.length === 0) return NOTHING_FOUND;
  const groups = new Map<string, Find[]>();
  for (const find of finds) {
    const key = `${wordsFor(find)} ${quote(find.says)}`;
    groups.set(key, [...(groups.get(key) ?? []), find]);
  }
  return [...groups.values()].map(groupInFull).join('; ');
}

function groupInFull(group: readonly Find[]): string {
  const [first] = group;
  if (first === undefined) return '';
  const rows = group.map(({ row }) => (row === '*' ? 'any row' : `\`${row}\``)).join(', ');
  return `${wordsFor(first)}: ${rows} (${quote(first.says)})`;
}

function quote(says: Find['says']): string {
  return typeof says === 'string' ? `“${says}”` : `\`${says.source}\``;
}
