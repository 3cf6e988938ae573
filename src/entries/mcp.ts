export { type RemoteServer, remoteTarget } from '../gateway/remote-target.ts';
export { type BridgeSettings, type OpenBridge, openBridge } from '../gateway/start-bridge.ts';
export type { SubjectError } from '../gateway/subject.ts';
