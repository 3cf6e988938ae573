import type { Answer } from '../../model/exchange.ts';
import { type Json, ownProperty } from '../../model/json.ts';
import { isMessage } from '../../wires/mcp/answer.ts';
import { exactBody } from '../json/json-body.ts';

/** What is to be as declared, and where it is; without structured content, a tool returned nothing of it. */
export function declaredResult(answer: Answer): {
  readonly result: Json | undefined;
  readonly pointer: string;
} {
  const result = ownProperty(exactBody(answer), 'result');
  if (!isMessage(answer)) return { result, pointer: '/result' };
  return { result: ownProperty(result, 'structuredContent'), pointer: '/result/structuredContent' };
}
