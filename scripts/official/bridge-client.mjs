// The client that the official suite starts, with the address of its server: the bridge, whose tools are listed, and
// called once with the inputs of the scenario.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const { MCP_CONFORMANCE_CONTEXT = '{}' } = process.env;
const address = process.argv.at(-1);

/** One scenario wants to see the schema of another tool; the numbers are for the others. */
function inputOf({ name }, functions) {
  const schema = functions.find((fn) => fn.name === 'json_schema_2020_12_tool')?.parameters;
  return name === 'json_schema_echo' ? { schema } : { a: 2, b: 3 };
}

const bridge = spawn(process.execPath, ['dist/probity.js', 'bridge', '--port', '0', address], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const [line] = await once(bridge.stdout.setEncoding('utf8'), 'data', {
    signal: AbortSignal.timeout(60_000),
  });
  const url = line.trim().replace(/\/$/, '');
  const { functions } = await (await fetch(`${url}/capabilities`)).json();
  const { toolCalls } = JSON.parse(MCP_CONFORMANCE_CONTEXT);
  const calls = toolCalls ?? functions.map((fn) => ({ name: fn.name, arguments: inputOf(fn, functions) }));
  for (const call of calls) {
    const body = JSON.stringify({ function: call.name, parameters: call.arguments });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${url}/execute`, { method: 'POST', headers, body });
  }
} finally {
  bridge.kill('SIGTERM');
}
