export type { BridgeSettings } from '../gateway/bridge.ts';
export { type RemoteServer, remoteTarget } from '../gateway/http-connection.ts';
export { type OpenBridge, openBridge } from '../gateway/start-bridge.ts';
export type { SubjectError } from '../gateway/subject.ts';
