export { type AddListingOptions, addListing } from './check/add-listing.ts';
export { type BenchOptions, prepareBench } from './check/bench/bench.ts';
export type { Bench, LoadOrder } from './check/bench/load-engine.ts';
export { type LoadEngine, measureOverhead, startLoadEngine } from './check/bench/load-engine.ts';
export { LoadRefused, TargetRefuses, TargetSilent } from './check/bench/prepare-calls.ts';
export { type CheckOptions, TargetError } from './check/check-options.ts';
export { judgeReport } from './check/judge-report.ts';
export { type Plan, planRequests } from './check/plan-requests.ts';
export { FORMAT_NAMES, type FormatName, renderFormat } from './check/render/render-format.ts';
export { renderTogether, type TogetherFormat } from './check/render/render-targets.ts';
export { startReferenceServer } from './check/start-reference-server.ts';
export { checkServer } from './check/threads/check-server.ts';
export {
  type CheckedServer,
  type CheckServersOptions,
  checkServers,
  type ServerToCheck,
} from './check/threads/check-servers.ts';
export { isTestResult, type ServerDetails } from './client/answer-shapes.ts';
export { createDirectoryClient, type DirectoryClient } from './client/directory-client.ts';
export { type ClientErrorCode, DirectoryError } from './client/directory-error.ts';
export type { DumpEnd, OnRecord } from './client/dump.ts';
export { functionNames } from './client/function-names.ts';
export type {
  CallOptions,
  ChangesOptions,
  ClientClock,
  DirectoryClientOptions,
  DirectoryQuery,
  ExecuteOptions,
  RateLimitWait,
  TestOrder,
} from './client/options.ts';
export { compareContracts } from './contract/compare-contracts.ts';
export { contractOf } from './contract/read-contract.ts';
export type { Json, JsonObject } from './json/json.ts';
export { compareRuns } from './latency/compare-latency.ts';
export { decideListing, type ToDecide } from './listing/decide-listing.ts';
export { type GatherOptions, gatherEvidence } from './listing/gather/gather-evidence.ts';
export { measuredIn, recordOf } from './listing/measured.ts';
export { OptionError } from './model/arguments.ts';
export type { ChangeKind, Contract, ContractChange, ContractFunction } from './model/contract.ts';
export type { Exchange, Header, TransportFailure } from './model/exchange.ts';
export { ExpectedError } from './model/expected-error.ts';
export type { Outcome, ReportedFinding, Row, Verdict } from './model/judgement.ts';
export type { Gathered, Listing, ListingJudgement, ListingRow, ParsedListing } from './model/listing.ts';
export type { OperationError, ResponseTimes } from './model/measurement.ts';
export type { Clock, PlannedRequest, Probe } from './model/probe.ts';
export type { Fact, OutputSample, RunSettings, Summary, TestResult } from './model/report.ts';
export type { Form, Level, Requirement } from './model/requirement.ts';
export type { ServerRecord } from './model/saved/server-record.ts';
export type { Suite } from './model/suite.ts';
export type { ChangesPage as DirectoryChanges, DirectoryChange } from './platform-api/changes.ts';
export type { Pagination, SearchPage } from './platform-api/search-result.ts';
export type { ReferenceServerOptions, RunningServer } from './reference/server.ts';
export { applyBaseline, baselineOf } from './report/baseline.ts';
export {
  diffResults,
  type FindingChange,
  type ResultDiff,
  type RowChange,
  type RunDifference,
} from './report/compare/diff-results.ts';
export { type MergedReports, MergeError, mergeReports, type NamedReport } from './report/merge-reports.ts';
export { readContract, writeContract } from './report/read-contract.ts';
export { readReport } from './report/read-report.ts';
export { serialiseReport } from './report/serialise-report.ts';
export { storeReport } from './report/store-report.ts';
export type { NamedResult, RenderedFile } from './report/target-entry.ts';
export { renderDiff } from './report/terminal/diff-terminal.ts';
export { renderTerminal, type TerminalOptions } from './report/terminal/terminal.ts';
export {
  parseListing,
  parseListings,
  type ReadListing,
  wholeListing,
} from './suite/listing/parse-listing.ts';
export { type LoadedSuites, loadSuites } from './suite/load-suites.ts';
export { readListings } from './suite/read-listings.ts';
export { type Diagnostic, SuiteError } from './suite/yaml/diagnostic.ts';
