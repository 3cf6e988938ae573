import { jsonBody } from '../checks/json-body.ts';
import type { Exchange } from '../model/exchange.ts';
import { ownProperty } from '../model/json.ts';
import { guardedRead } from './guarded-read.ts';
import type { ServiceSettings } from './service-settings.ts';
import type { EntryTarget } from './target-key.ts';

/** Reads what a target says it can do; the value is null unless it is a record with a list of functions. */
export async function readCapabilities(
  entry: EntryTarget,
  settings: ServiceSettings,
): Promise<{ readonly exchange: Exchange; readonly value: unknown | null }> {
  const exchange = await guardedRead(entry, '/capabilities', settings);
  return { exchange, value: goodCapabilities(exchange) };
}

/** The capabilities record that an answer carries, or null (specification, section 2.5). */
export function goodCapabilities(exchange: Exchange): unknown | null {
  if (exchange.kind !== 'answered' || exchange.response.status !== 200) return null;
  const { value } = jsonBody(exchange);
  return Array.isArray(ownProperty(value, 'functions')) ? value : null;
}
