export { type RemoteServer, remoteTarget } from '../mcp/remote-target.ts';
export {
  type ListeningSettings,
  type OpenBridge,
  openBridge,
  type RunningBridge,
  startBridge,
} from '../mcp/start-bridge.ts';
export type { SubjectError } from '../mcp/subject.ts';
export { type OpenedServer, openMcpServer } from '../runners/open-target.ts';
