// What takes least: `node plain-requests.mjs fetch URL COUNT` reads URL/health in a loop of fetch; `node plain-requests.mjs
// client COMMAND…` starts a server with the SDK client, connects, and lists its tools.
const [way, target, ...more] = process.argv.slice(2);

if (way === 'fetch')
  for (let count = 0; count < Number(more[0]); count += 1) await (await fetch(`${target}/health`)).text();
else {
  const { Client } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const client = new Client({ name: 'bench', version: '0.0.0' }, { capabilities: {} });
  await client.connect(new StdioClientTransport({ command: target, args: more, stderr: 'ignore' }));
  await client.listTools();
  await client.close();
}
