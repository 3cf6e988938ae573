export { type RemoteServer, remoteTarget } from '../mcp/remote-target.ts';
export { type BridgeSettings, type OpenBridge, openBridge } from '../mcp/start-bridge.ts';
export type { SubjectError } from '../mcp/subject.ts';
