// The figures that have a goal, as one table. A part of it has a `title`, its `goals`, and `measure`, which measures them once:
//
//   measure(build) → { [id of the goal]: figure, or [figure, that of the peer] }
//
// All parts are measured in each run, and the table shows the median of the runs with their range: a figure with a wide
// range says little. With another build, both are measured alternately.
import { HERE } from './builds.mjs';
import { median } from './sheet.mjs';

const WIDTHS = [56, 30, 12, 8];

/** Returns how many goals are missed. A figure that could not be measured is one. */
export async function printTable(parts, { runs, builds }) {
  const measured = new Map(parts.map((part) => [part, builds.map(() => [])]));
  for (let run = 1; run <= runs; run += 1)
    for (const part of parts) {
      const startedMs = performance.now();
      for (const [index, build] of buildsOf(part, builds).entries())
        measured.get(part)[index].push(await figuresOf(part, build));
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
      console.error(`run ${run} of ${runs}: ${part.title}, measured in ${seconds} s`);
    }
  const rows = parts.flatMap((part) => [{ title: part.title }, ...rowsOf(part, measured.get(part), builds)]);
  console.log(`\n  ${cells(['figure', `median of ${runs} (lowest to highest)`, 'goal', ''])}in the same run`);
  for (const { title, columns } of rows)
    console.log(title === undefined ? `  ${cells(columns)}${columns.at(-1)}` : `\n${title}`);
  const missed = rows.filter(({ isMet }) => isMet === false).length;
  console.log(missed === 0 ? '\nEach goal is met.' : `\n${missed} goals are missed.`);
  return missed;
}

/** Parts that need sources beside the built product measure only this tree. */
function buildsOf({ onlyHere }, builds) {
  return onlyHere ? [HERE] : builds;
}

async function figuresOf(part, build) {
  try {
    return await part.measure(build);
  } catch (error) {
    console.error(`${part.title} could not be measured: ${error.stack}`);
    return {};
  }
}

function rowsOf({ goals, ...part }, [here, ...others], builds) {
  return Object.entries(goals).map(([id, { figure, most, unit, peer, peerUnit = unit }]) => {
    const valuesOf = (runs, place) => runs.flatMap((figures) => [figures[id] ?? []].flat()[place] ?? []);
    const own = valuesOf(here, 0);
    const theirs = valuesOf(here, 1);
    const before = buildsOf(part, builds)
      .slice(1)
      .map((build, index) => [build.name, valuesOf(others[index], 0)]);
    const isMet = own.length === here.length && (most === undefined || median(own) <= most);
    const beside = [[peer, theirs, peerUnit], ...before]
      .filter(([, values]) => values.length > 0)
      .map(([name, values, of = unit]) => `${name}: ${shown(median(values), of)}`);
    const range = own.length > 1 ? ` (${shown(Math.min(...own))} to ${shown(Math.max(...own))})` : '';
    const text = own.length === 0 ? 'not measured' : `${shown(median(own), unit)}${range}`;
    const judgement =
      most === undefined ? ['', isMet ? '' : 'MISSED'] : [`≤ ${shown(most, unit)}`, isMet ? 'met' : 'MISSED'];
    return {
      isMet,
      columns: [figure, text, ...judgement, beside.join(', ')],
    };
  });
}

function cells(columns) {
  return WIDTHS.map((width, index) => columns[index].padEnd(width)).join(' ');
}

/** With three significant digits. */
function shown(value, unit = '') {
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.max(Math.abs(value), 0.01))));
  return `${value.toFixed(Math.min(3, digits))}${unit === '' ? '' : ` ${unit}`}`;
}
