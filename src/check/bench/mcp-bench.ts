import { availableParallelism } from 'node:os';
import { describeAnswer, isServed } from '../../checks/json/answers.ts';
import { callInputs, descriptorNamed } from '../../inputs/call-inputs.ts';
import { stringifyExactly } from '../../json/exact-json.ts';
import type { JsonObject } from '../../json/json.ts';
import { runLoad } from '../../latency/run-load.ts';
import type { PreparedCall, WantedCall } from '../../model/bench.ts';
import { isAnswer } from '../../model/exchange.ts';
import type { PlannedMessage, Probe } from '../../model/probe.ts';
import type { RunSettings } from '../../model/report.ts';
import { systemClock } from '../../probe/system-clock.ts';
import { aliveMessage } from '../../run/calls/make-request.ts';
import { createMessageTransport } from '../../run/timing/message-transport.ts';
import { threadTime } from '../../run/timing/thread-time.ts';
import type { CheckInput } from '../check-input.ts';
import { plainMessage, type ReadTools, readTools } from '../learn/read-tools.ts';
import { type McpOptions, shownTarget } from '../mcp-options.ts';
import { createMcpProbe } from '../mcp-target.ts';
import { TargetSchemas } from '../target-schemas.ts';
import type { Bench } from './load-engine.ts';
import { LoadRefused, loadPlanOf, others, TargetRefuses, TargetSilent } from './prepare-calls.ts';

type Listed = Extract<ReadTools, { kind: 'open' }>;
type Message = Omit<PlannedMessage, 'key' | 'timeoutMs'>;

/**
 * Prepares a load of messages. They are sent in one conversation, several at once where the load asks for that, in the
 * thread of the caller: a process belongs to the thread that started it.
 */
export async function prepareMcpBench(
  input: CheckInput & { readonly mcp: McpOptions },
  wanted: readonly WantedCall[],
  signal: AbortSignal,
): Promise<Bench> {
  const { settings } = input;
  const probe = createMcpProbe(input, { clock: systemClock, signal });
  try {
    const listed = await readTools(probe, settings, 'bench');
    if (listed.kind === 'not-open') throw new TargetSilent(`The server cannot be used: ${listed.failure}.`);
    const schemas = new TargetSchemas(settings);
    schemas.speak(listed.opened);
    const messages = wanted.map((call) => plainMessage(messageOf(call, listed, settings, schemas)));
    const calls: PreparedCall[] = [];
    for (const [place, call] of wanted.entries()) {
      const message = messages[place];
      if (message !== undefined) calls.push(await triedOnce(call, message, probe, settings));
    }
    return {
      targetUrl: shownTarget(input.targetUrl, input.mcp),
      settings,
      calls,
      transport: 'message',
      transportOptions: { ca: null, publicOnly: settings.publicOnly, timeoutMs: settings.requestTimeoutMs },
      phases: [],
      run: (order, watch) =>
        runLoad(
          loadPlanOf(order, calls, settings),
          createMessageTransport(probe, messages, { key: 'bench', timeoutMs: settings.requestTimeoutMs }),
          { ...watch, cores: availableParallelism(), threadTime },
        ),
      close: async () => void (await probe.close()),
    };
  } catch (error) {
    await probe.close();
    throw error;
  }
}

function messageOf(
  { operation, functionName }: WantedCall,
  { opened, functions }: Listed,
  { samples }: RunSettings,
  schemas: TargetSchemas,
): JsonObject {
  if (operation === 'health') return aliveMessage(opened);
  if (operation === 'capabilities') return { method: 'tools/list', params: {} };
  const name = functionName ?? '';
  const tool = descriptorNamed(functions, name);
  if (tool === undefined)
    throw new LoadRefused(`The server lists no tool "${name}". ${others(functions, name)}`);
  const own = Object.hasOwn(samples, name) ? (samples[name] ?? []) : [];
  const [made] = callInputs('sample', tool, own, { schemas });
  if (made === undefined || made.source === 'none-valid')
    throw new LoadRefused(
      `No input that the inputSchema of "${name}" accepts could be generated. Give an input under \`samples\`.`,
    );
  return { method: 'tools/call', params: { name, arguments: made.input ?? {} } };
}

async function triedOnce(
  call: WantedCall,
  message: Message,
  probe: Probe,
  { requestTimeoutMs: timeoutMs }: RunSettings,
): Promise<PreparedCall> {
  const name = call.functionName === null ? call.operation : `${call.operation}:${call.functionName}`;
  const exchange = await probe.send({ ...message, key: `bench/${name}#0`, timeoutMs });
  if (!isAnswer(exchange)) throw new TargetSilent(`${name}: ${exchange.reason.message}.`);
  if (!isServed(exchange))
    throw new TargetRefuses(`${name} was answered with ${describeAnswer(exchange)}, so it cannot be timed.`);
  const body = message.sends.kind === 'message' ? Buffer.from(stringifyExactly(message.sends.message)) : null;
  // The engine counts requests by their place; its conversation writes them.
  return { ...call, request: { method: 'POST', url: '', headers: [], body, weight: call.weight }, exchange };
}
